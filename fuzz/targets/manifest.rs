//! `manifest.json`: any text, with the checksum that it should have and without, is read or refused; what is read is
//! written and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use strat::internals::seal;
use strat::record::Manifest;
use strat_fuzz::{grown, limits, meter::bounded};

fn read(text: Vec<u8>) {
    let parse = |text: Vec<u8>| Manifest::parse(text, Path::new("manifest.json")).map_err(|e| e.to_string());
    if let Ok((manifest, _)) = bounded(text.len(), limits::manifest(&text), || parse(text)) {
        let again = parse(manifest.to_text().into_bytes());
        assert_eq!(again.map(|(manifest, _)| manifest).as_ref(), Ok(&manifest));
        let order = manifest.order();
        if let Some(last) = order.count().checked_sub(1) {
            let (row, seed) = order.at(last);
            assert_eq!((row < manifest.rows.len(), order.position(row, seed)), (true, Some(last)));
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let text = grown(input);
    if let Ok(text) = std::str::from_utf8(&text)
        && text.trim_end().ends_with('}')
    {
        read(seal(text).into_bytes());
    }
    read(text);
});
