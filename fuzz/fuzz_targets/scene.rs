#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    clearance_lab::fuzz::scene(bytes);
});
