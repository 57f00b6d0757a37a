meta:
  id: isotick
  title: isotick recording
  file-extension: isotick
  license: MIT
  ks-version: '0.11'
  endian: le
  encoding: UTF-8
doc: |
  A session of a simulation with a fixed timestep: what it was given, and hashes of its states.
  FORMAT.md says what every byte means, how readers treat damage, and what is in the blocks that
  are opaque here. Checksums and digests are not verified: Kaitai Struct has no XXH3.
doc-ref: FORMAT.md
seq:
  - id: head
    type: head
  - id: chunks
    type: chunk
    repeat: eos
types:
  head:
    seq:
      - id: magic
        contents: [0x89, 'ISO', 0x0d, 0x0a, 0x1a, 0x0a]
      - id: version
        type: u2
        valid:
          min: 1
        doc: Of the format.
      - id: smallest_reader
        type: u2
        valid: 1
        doc: The lowest version of the format whose readers can read the file.
      - id: len_body
        type: u4
        valid:
          max: 0xfffec
      - id: checksum
        type: u4
        doc: The low 32 bits of XXH3-64 of the 16 bytes before it, followed by the body.
      - id: body
        type: head_body
        size: len_body
        doc: May go on with fields of a newer version.
  head_body:
    seq:
      - id: simulation
        type: text
      - id: rate_numerator
        type: u4
        valid:
          min: 1
          max: 1000000000
        doc: Ticks per second, with the denominator.
      - id: rate_denominator
        type: u4
        valid:
          min: 1
          max: 1000000000
      - id: players
        type: u4
        valid:
          max: 4096
      - id: seed
        type: u8
      - id: config
        type: settings
      - id: chunk_ticks
        type: u4
        valid:
          min: 16
          max: 4096
        doc: How many ticks each tick chunk has, except that the last may have fewer.
      - id: hash_algorithm
        type: text
      - id: nan_policy
        type: text
      - id: hash_every
        type: u4
        valid:
          min: 1
        doc: Ticks from one stored state hash to the next.
      - id: parts_every
        type: u4
        valid:
          min: 1
        doc: Ticks from one storing of the parts' hashes to the next.
      - id: num_parts
        type: u4
        valid:
          min: 1
          max: 256
      - id: part_names
        type: text
        repeat: expr
        repeat-expr: num_parts
      - id: notes
        type: settings
      - id: initial_state_hash
        size: 8
        doc: Of the state before tick 0. Hashes are numbers with their lowest byte first.
      - id: initial_part_hashes
        size: 8
        repeat: expr
        repeat-expr: num_parts
        if: num_parts > 1
  text:
    seq:
      - id: len_value
        type: u4
      - id: value
        type: str
        size: len_value
  settings:
    seq:
      - id: num_entries
        type: u4
      - id: entries
        type: setting
        repeat: expr
        repeat-expr: num_entries
  setting:
    seq:
      - id: key
        type: text
      - id: value
        type: text
  chunk:
    seq:
      - id: sync_marker
        contents: [0xfe, 0xc0, 0xde, 0xf5]
      - id: type
        type: u1
        enum: chunk_type
        valid:
          expr: type == chunk_type::ticks or type == chunk_type::final or is_optional
        doc: Readers skip unknown types with the high bit, and refuse others.
      - id: version
        type: u1
        valid:
          expr: version == 1 or is_optional
        doc: Of this type of chunk.
      - id: ticks_less_one
        type: u2
        doc: Of a tick chunk; 0 in others.
      - id: len_payload
        type: u4
        valid:
          max: 0x10000000
      - id: first
        type: u8
        doc: |
          Of a tick chunk its first tick, of the final chunk the last tick + 1, of the end mark the
          offset of the index, else 0.
      - id: header_checksum
        type: u4
        doc: The low 32 bits of XXH3-64 of the 20 bytes before it.
      - id: payload
        size: len_payload
        type:
          switch-on: 'version == 1 ? type : chunk_type::end_mark'
          cases:
            'chunk_type::ticks': tick_payload
            'chunk_type::final': final_payload
            'chunk_type::index': index_payload
      - id: payload_checksum
        type: u4
        doc: The low 32 bits of XXH3-64 of the payload.
    instances:
      is_optional:
        value: type.to_i >= 0x80
  tick_payload:
    seq:
      - id: flags
        type: tick_flags
      - id: len_inputs
        type: varint
      - id: inputs
        size: len_inputs.value
        doc: The inputs by columns; if it is zstd, one frame without its magic number.
      - id: len_dts
        type: varint
        if: flags.has_dts
      - id: dts
        size: len_dts.value
        if: flags.has_dts
        doc: How much each tick advanced the simulation by, where not all did by the constant dt.
      - id: hashes
        size: _io.size - _io.pos - 32
        type: hash_list
        doc: The state hashes due after these ticks, then the part hashes.
      - id: digests
        type: digests
  tick_flags:
    meta:
      bit-endian: le
    seq:
      - id: inputs_are_zstd
        type: b1
      - id: has_dts
        type: b1
      - id: dts_are_zstd
        type: b1
      - id: unused
        type: b5
        valid: 0
  final_payload:
    seq:
      - id: hashes
        size: _io.size - _io.pos - 32
        type: hash_list
        doc: The state hash after the last tick and those of the parts, as far as not due there.
      - id: digests
        type: digests
  hash_list:
    seq:
      - id: hashes
        size: 8
        repeat: eos
  digests:
    doc: XXH3-128 over everything up to the last tick of the chunk.
    seq:
      - id: session
        size: 16
      - id: hashes
        size: 16
  index_payload:
    doc: Where the tick chunks begin. It can be rebuilt from the rest of the file.
    seq:
      - id: form
        type: u1
        enum: index_form
      - id: ticks
        type: varint
        doc: Of the whole recording.
      - id: num_chunks
        type: varint
        doc: How many tick chunks there are.
      - id: list
        size-eos: true
        doc: Differences of the distances from one to the next, as zigzag varints.
  varint:
    doc: Seven bits a byte, lowest first; all bytes but the last have the high bit set.
    seq:
      - id: bytes
        type: u1
        repeat: until
        repeat-until: _ < 0x80
        doc: Ten at most.
    instances:
      value:
        value: >-
          (bytes[0] & 0x7f).as<u8>
          + (bytes.size > 1 ? (bytes[1] & 0x7f).as<u8> * 0x80 : 0)
          + (bytes.size > 2 ? (bytes[2] & 0x7f).as<u8> * 0x4000 : 0)
          + (bytes.size > 3 ? (bytes[3] & 0x7f).as<u8> * 0x200000 : 0)
          + (bytes.size > 4 ? (bytes[4] & 0x7f).as<u8> * 0x10000000 : 0)
          + (bytes.size > 5 ? (bytes[5] & 0x7f).as<u8> * 0x800000000 : 0)
          + (bytes.size > 6 ? (bytes[6] & 0x7f).as<u8> * 0x40000000000 : 0)
        doc: Of up to seven bytes, which is more than any length and any session has.
enums:
  chunk_type:
    0x01: ticks
    0x02: final
    0x82: index
    0x83: end_mark
  index_form:
    0: plain
    1: zstd
