// A plug-in in Rust, without crates: the simulation of tanks.c, to the bit. The structs are those of
// core/include/isotick/core/plugin.h; members that are not used are pointers.

#![crate_type = "cdylib"]

use std::ffi::CStr;
use std::os::raw::{c_char, c_void};

const OK: i32 = 0;
const FAILED: i32 = 1;
const BAD_SETTINGS: i32 = 2;
const TANKS: usize = 4;
const STATE_SIZE: usize = (TANKS + 2) * 8;

#[repr(C)]
pub struct Message {
    text: *mut c_char,
    capacity: u64,
}

#[repr(C)]
pub struct Setting {
    key: *const c_char,
    value: *const c_char,
}

#[repr(C)]
pub struct Info {
    struct_size: u32,
    rate_numerator: u32,
    rate_denominator: u32,
    least_players: u32,
    most_players: u32,
    usual_players: u32,
    capabilities: u64,
    name: *const c_char,
    summary: *const c_char,
    hash_algorithm: *const c_char,
    config_help: *const c_char,
    build_id: *const c_char,
    nan_policy: *const c_char,
}

#[repr(C)]
pub struct Setup {
    struct_size: u32,
    players: u32,
    seed: u64,
    rate_numerator: u32,
    rate_denominator: u32,
    config_count: u32,
    environment_count: u32,
    config: *const Setting,
    environment: *const Setting,
}

#[repr(C)]
pub struct Input {
    player: u32,
    present: u32,
    size: u64,
    data: *const u8,
}

#[repr(C)]
pub struct Step {
    struct_size: u32,
    input_count: u32,
    tick: u64,
    dt_seconds: f64,
    dt_num: u64,
    dt_den: u64,
    inputs: *const Input,
}

#[repr(C)]
pub struct Part {
    name: *const c_char,
    hash: u64,
}

#[repr(C)]
pub struct Proposal {
    struct_size: u32,
    player: u32,
    tick: u64,
    entropy: u64,
    data: *mut u8,
    capacity: u64,
    size: u64,
    present: u32,
    reserved: u32,
}

#[repr(C)]
pub struct Sink {
    context: *mut c_void,
    write: extern "C" fn(*mut c_void, *const c_void, u64) -> i32,
}

type Unused = *const c_void;

#[repr(C)]
pub struct Table {
    struct_size: u32,
    abi_version: u32,
    info: *const Info,
    create: extern "C" fn(*const Table, *const Setup, *mut *mut Tanks, *mut Message) -> i32,
    destroy: extern "C" fn(*mut Tanks),
    begin_frame: Unused,
    step: extern "C" fn(*mut Tanks, *const Step, *mut Message) -> i32,
    render: extern "C" fn(*mut Tanks, f64, *mut Message) -> i32,
    hash: extern "C" fn(*mut Tanks, *mut Part, u32, *mut u32, *mut Message) -> i32,
    propose_input: extern "C" fn(*mut Tanks, *mut Proposal, *mut Message) -> i32,
    save: extern "C" fn(*mut Tanks, *const Sink, *mut Message) -> i32,
    load: extern "C" fn(*mut Tanks, *const u8, u64, *mut Message) -> i32,
    visit_fields: extern "C" fn(*mut Tanks, *const Sink, *mut Message) -> i32,
    visit_memory: Unused,
    describe_input: Unused,
    compose_input: Unused,
    settle: Unused,
    note_writes: Unused,
}

pub struct Tanks {
    levels: [i64; TANKS],
    random: u64,
    inputs: u64,
    // Not state: how it is set up.
    leak: i64,
    fault: Vec<u8>,
    fault_at: u64,
    tick: u64,
}

/// Of a pointer and a count, where the pointer may be null if the count is 0.
unsafe fn slice<'a, T>(data: *const T, count: u64) -> &'a [T] {
    if count == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(data, count as usize)
    }
}

unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    CStr::from_ptr(text).to_bytes()
}

fn fail(message: *mut Message, status: i32, why: &str) -> i32 {
    unsafe {
        let size = why.len().min((*message).capacity as usize - 1);
        std::ptr::copy_nonoverlapping(why.as_ptr(), (*message).text as *mut u8, size);
        *(*message).text.add(size) = 0;
    }
    status
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl Tanks {
    unsafe fn new(setup: &Setup) -> Result<Tanks, &'static str> {
        let mut tanks = Tanks {
            levels: [1000, 2000, 3000, 4000],
            random: setup.seed,
            inputs: 0,
            leak: 3,
            fault: Vec::new(),
            fault_at: 20,
            tick: 0,
        };
        for setting in slice(setup.config, setup.config_count.into()) {
            if bytes(setting.key) != b"leak" {
                return Err("there is no setting but leak");
            }
            tanks.leak = number(bytes(setting.value))
                .filter(|leak| (0..=100).contains(leak))
                .ok_or("leak is not a whole number from 0 to 100")?;
        }
        for setting in slice(setup.environment, setup.environment_count.into()) {
            match bytes(setting.key) {
                b"fault" => tanks.fault = bytes(setting.value).to_vec(),
                b"at" => tanks.fault_at = number(bytes(setting.value)).unwrap_or(u64::MAX),
                _ => {}
            }
        }
        Ok(tanks)
    }

    /// Knuth's MMIX generator.
    fn draw(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.random
    }

    unsafe fn step(&mut self, at: &Step) {
        self.tick = at.tick;
        for (i, input) in slice(at.inputs, at.input_count.into()).iter().enumerate() {
            self.inputs += if input.present != 0 { 1 + input.size } else { 0 };
            for byte in slice(input.data, input.size) {
                self.levels[i % TANKS] += i64::from(*byte);
            }
        }
        let drop = self.draw();
        self.levels[(drop >> 62) as usize] += ((drop >> 32) & 15) as i64;
        for i in 0..TANKS - 1 {
            let flow = (self.levels[i] - self.levels[i + 1]) / 4;
            self.levels[i] -= flow;
            self.levels[i + 1] += flow;
        }
        self.levels[TANKS - 1] -= self.leak;
        if self.fault == b"build" && self.tick == self.fault_at {
            self.levels[2] += 1;
        }
    }

    fn state(&self) -> Vec<u8> {
        let levels = self.levels.iter().map(|level| *level as u64);
        levels.chain([self.random, self.inputs]).flat_map(u64::to_le_bytes).collect()
    }
}

/// FNV-1a, 64 bits.
fn fnv1a(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf29ce484222325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3)
    })
}

extern "C" fn create(
    _: *const Table,
    setup: *const Setup,
    out: *mut *mut Tanks,
    message: *mut Message,
) -> i32 {
    match unsafe { Tanks::new(&*setup) } {
        Ok(tanks) => unsafe {
            *out = Box::into_raw(Box::new(tanks));
            OK
        },
        Err(why) => fail(message, BAD_SETTINGS, why),
    }
}

extern "C" fn destroy(tanks: *mut Tanks) {
    drop(unsafe { Box::from_raw(tanks) });
}

extern "C" fn step(tanks: *mut Tanks, at: *const Step, _: *mut Message) -> i32 {
    unsafe { (*tanks).step(&*at) };
    OK
}

extern "C" fn render(tanks: *mut Tanks, _alpha: f64, _: *mut Message) -> i32 {
    let tanks = unsafe { &mut *tanks };
    if tanks.fault == b"render" && tanks.tick >= tanks.fault_at {
        tanks.draw();
    }
    OK
}

extern "C" fn hash(
    tanks: *mut Tanks,
    parts: *mut Part,
    capacity: u32,
    count: *mut u32,
    message: *mut Message,
) -> i32 {
    if capacity < 3 {
        return fail(message, FAILED, "there is no room for three parts");
    }
    let state = unsafe { (*tanks).state() };
    let (levels, rest) = state.split_at(8 * TANKS);
    let (random, inputs) = rest.split_at(8);
    let named: [(&[u8], &[u8]); 3] =
        [(b"levels\0", levels), (b"random\0", random), (b"inputs\0", inputs)];
    for (i, (name, bytes)) in named.iter().enumerate() {
        let name = name.as_ptr() as *const c_char;
        unsafe { *parts.add(i) = Part { name, hash: fnv1a(bytes) } };
    }
    unsafe { *count = 3 };
    OK
}

/// Up to three bytes, two times out of three.
extern "C" fn propose_input(_: *mut Tanks, proposal: *mut Proposal, _: *mut Message) -> i32 {
    let proposal = unsafe { &mut *proposal };
    if proposal.entropy % 3 != 0 {
        proposal.present = 1;
        proposal.size = (proposal.entropy >> 8) % 4;
    }
    for i in 0..proposal.size {
        unsafe { *proposal.data.add(i as usize) = (proposal.entropy >> (16 + 8 * i)) as u8 };
    }
    OK
}

unsafe fn write(sink: *const Sink, data: &[u8]) -> i32 {
    ((*sink).write)((*sink).context, data.as_ptr() as *const c_void, data.len() as u64)
}

extern "C" fn save(tanks: *mut Tanks, sink: *const Sink, _: *mut Message) -> i32 {
    unsafe { write(sink, &(*tanks).state()) }
}

extern "C" fn load(tanks: *mut Tanks, data: *const u8, size: u64, message: *mut Message) -> i32 {
    if size != STATE_SIZE as u64 {
        return fail(message, FAILED, "a snapshot has 48 bytes");
    }
    let (tanks, state) = unsafe { (&mut *tanks, slice(data, size)) };
    let number = |i: usize| {
        state[8 * i..8 * (i + 1)].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    for i in 0..TANKS {
        tanks.levels[i] = number(i) as i64;
    }
    tanks.random = number(TANKS);
    tanks.inputs = number(TANKS + 1);
    OK
}

/// An object of an array of i64 and two u64 (core/FIELDS.md).
extern "C" fn visit_fields(tanks: *mut Tanks, sink: *const Sink, _: *mut Message) -> i32 {
    let state = unsafe { (*tanks).state() };
    let stream = [
        b"\x01\x10\x01\x06levels\x1c\x27\x04" as &[u8],
        &state[..8 * TANKS],
        b"\x01\x06random\x23",
        &state[8 * TANKS..8 * (TANKS + 1)],
        b"\x01\x06inputs\x23",
        &state[8 * (TANKS + 1)..],
        b"\x11\x00",
    ];
    unsafe { write(sink, &stream.concat()) }
}

/// What never changes may be seen by any thread.
struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

static INFO: Constant<Info> = Constant(Info {
    struct_size: std::mem::size_of::<Info>() as u32,
    rate_numerator: 60,
    rate_denominator: 1,
    least_players: 0,
    most_players: 4,
    usual_players: 2,
    capabilities: 1 | 8 | 16, // several instances, save and load, fields
    name: b"tanks\0".as_ptr() as *const c_char,
    summary: b"four tanks of water in a row\0".as_ptr() as *const c_char,
    hash_algorithm: b"user:fnv1a\0".as_ptr() as *const c_char,
    config_help: b"leak=0..100\0".as_ptr() as *const c_char,
    build_id: std::ptr::null(),
    nan_policy: std::ptr::null(),
});

static TABLE: Constant<Table> = Constant(Table {
    struct_size: std::mem::size_of::<Table>() as u32,
    abi_version: 1,
    info: &INFO.0,
    create,
    destroy,
    begin_frame: std::ptr::null(),
    step,
    render,
    hash,
    propose_input,
    save,
    load,
    visit_fields,
    visit_memory: std::ptr::null(),
    describe_input: std::ptr::null(),
    compose_input: std::ptr::null(),
    settle: std::ptr::null(),
    note_writes: std::ptr::null(),
});

#[no_mangle]
pub extern "C" fn isotick_simulation_entry() -> *const Table {
    &TABLE.0
}
