// read.js KSY FILE…: makes a parser of a Kaitai Struct description, and reads files with it.
// read.js KSY: makes parsers for all languages. Both print one JSON document.
"use strict";

const fs = require("fs");
const compiler = require("kaitai-struct-compiler");
const KaitaiStream = require("kaitai-struct/KaitaiStream");
const yaml = require("js-yaml");

const LANGUAGES = ["cpp_stl", "csharp", "go", "java", "javascript", "lua", "perl", "php", "python",
                   "ruby", "rust"];
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const settings = (of) => Object.fromEntries(of.entries.map((one) => [one.key.value,
                                                                     one.value.value]));

function headOf(head, span) {
  const body = head.body;
  return {
    offset: span.start, end: span.end, version: head.version, len_body: head.lenBody,
    checksum: head.checksum, simulation: body.simulation.value,
    rate: [body.rateNumerator, body.rateDenominator], players: body.players, seed: body.seed,
    config: settings(body.config), chunk_ticks: body.chunkTicks,
    hash_algorithm: body.hashAlgorithm.value, nan_policy: body.nanPolicy.value,
    hash_every: body.hashEvery, parts_every: body.partsEvery,
    parts: body.partNames.map((name) => name.value), notes: settings(body.notes),
    initial: [body.initialStateHash, ...(body.initialPartHashes || [])].map(hex),
  };
}

function payloadOf(payload, type) {
  switch (type) {
    case "TICKS":
      return {
        zstd: payload.flags.inputsAreZstd, dt_zstd: payload.flags.dtsAreZstd,
        inputs: hex(payload.inputs), dts: payload.flags.hasDts ? hex(payload.dts) : null,
        hashes: payload.hashes.hashes.map(hex),
        digests: [payload.digests.session, payload.digests.hashes].map(hex),
      };
    case "FINAL":
      return {
        hashes: payload.hashes.hashes.map(hex),
        digests: [payload.digests.session, payload.digests.hashes].map(hex),
      };
    case "INDEX":
      return { form: payload.form, ticks: payload.ticks.value, chunks: payload.numChunks.value,
               list: hex(payload.list) };
    default:
      return { bytes: hex(payload) };
  }
}

function chunkOf(Isotick, chunk, span) {
  const type = Isotick.ChunkType[chunk.type];
  return {
    offset: span.start, end: span.end, type: type || "UNKNOWN", version: chunk.version,
    ticks_less_one: chunk.ticksLessOne, first: chunk.first, size: chunk.lenPayload,
    header_checksum: chunk.headerChecksum, payload_checksum: chunk.payloadChecksum,
    payload: payloadOf(chunk.payload, chunk.version === 1 ? type : ""),
  };
}

function read(Isotick, path) {
  try {
    const file = new Isotick(new KaitaiStream(fs.readFileSync(path)));
    file._read();
    return {
      head: headOf(file.head, file._debug.head),
      chunks: file.chunks.map((chunk, n) => chunkOf(Isotick, chunk, file._debug.chunks.arr[n])),
    };
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
}

async function makeAll(spec) {
  const made = {};
  for (const language of LANGUAGES) {
    made[language] = Object.keys(await compiler.compile(language, spec, null, false));
  }
  return made;
}

async function readAll(spec, paths) {
  const compiled = await compiler.compile("javascript", spec, null, true);
  const exported = {};
  new Function("exports", "require", compiled["Isotick.js"])(exported, require);
  return paths.map((path) => read(exported.Isotick, path));
}

async function main([ksy, ...paths]) {
  const spec = yaml.load(fs.readFileSync(ksy, "utf8"));
  console.log(JSON.stringify(await (paths.length ? readAll(spec, paths) : makeAll(spec))));
}

main(process.argv.slice(2));
