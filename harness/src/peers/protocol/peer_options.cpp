#include <isotick/harness/peer.hpp>

#include <bit>

namespace isotick::harness {

core::Result<void> check_peer_options(const PeerOptions& options) {
    const auto wrong = [](std::string text) {
        return core::fail(core::ErrorCode::usage, std::move(text));
    };
    if (options.peers < 1 || options.peers > kMostPeers) {
        return wrong("a session has from 1 to 64 peers, not " + std::to_string(options.peers));
    }
    if (options.self >= options.peers) {
        return wrong("there is no peer " + std::to_string(options.self) + " among " +
                     std::to_string(options.peers));
    }
    if (options.incarnation >= kMostLives || (options.incarnation > 0 && !options.joins)) {
        return wrong("a peer that was there before joins, and up to 63 times");
    }
    if (options.spectators >= options.peers) {
        return wrong("a session needs a peer that is no spectator");
    }
    const std::uint32_t playing = options.peers - options.spectators;
    if (static_cast<std::uint32_t>(std::countr_one(options.late)) >= playing) {
        return wrong("no peer with players is there from the start");
    }
    if (options.players < playing) {
        return wrong("the session has fewer players (" + std::to_string(options.players) +
                     ") than peers (" + std::to_string(playing) + ") to play them");
    }
    if (options.input_delay > 60) {
        return wrong("an input can be delayed by 60 ticks at most, not by " +
                     std::to_string(options.input_delay));
    }
    if (options.most_guessed < 1 || options.most_guessed > 128) {
        return wrong("a peer can run from 1 to 128 ticks ahead, not " +
                     std::to_string(options.most_guessed));
    }
    if (options.hash_every < 1 || options.hash_every > 64) {
        return wrong("hashes are reported every 1 to 64 ticks, not every " +
                     std::to_string(options.hash_every));
    }
    if (options.silence_ns <= 0) {
        return wrong("the time after which a silent peer counts as gone must be above zero");
    }
    return {};
}

std::vector<std::uint32_t> players_of(std::uint32_t peer, const PeerOptions& options) {
    std::vector<std::uint32_t> players;
    const std::uint32_t playing = options.peers - options.spectators;
    for (std::uint32_t player = peer; peer < playing && player < options.players;
         player += playing) {
        players.push_back(player);
    }
    if (peer == 0) {
        players.push_back(ISOTICK_WORLD);
    }
    return players;
}

std::string_view to_string(PeerState state) {
    switch (state) {
        case PeerState::joining:
            return "joining";
        case PeerState::running:
            return "running";
        case PeerState::finished:
            return "finished";
        case PeerState::left:
            return "left";
        case PeerState::dropped:
            return "dropped";
        case PeerState::alone:
            return "alone";
        case PeerState::disagreed:
            return "disagreed";
    }
    return "";
}

}  // namespace isotick::harness
