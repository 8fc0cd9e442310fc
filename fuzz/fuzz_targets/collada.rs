#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    clearance_lab::fuzz::mesh("part.dae", bytes);
});
