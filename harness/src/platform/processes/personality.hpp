#pragma once
// What the system asks of a thread before it starts a program for it: personality(2) of Linux.

namespace isotick::harness {

// Bits of it.
inline constexpr unsigned long kFixedAddresses = 0x0040000;   ///< addresses are not random
inline constexpr unsigned long kLegacyAddresses = 0x0200000;  ///< mappings grow upward

/// While it lives, the programs that the calling thread starts have these bits too.
class LentPersonality {
  public:
    explicit LentPersonality(unsigned long bits);
    ~LentPersonality();
    LentPersonality(const LentPersonality&) = delete;
    LentPersonality& operator=(const LentPersonality&) = delete;

    /// Containers may forbid it, and other systems have no such thing. True where there are no
    /// bits.
    [[nodiscard]] bool is_lent() const { return is_lent_; }

  private:
    int former_ = -1;  // -1: it is still that
    bool is_lent_ = true;
};

}  // namespace isotick::harness
