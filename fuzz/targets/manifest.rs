//! `manifest.json`: any text is read or refused; what is read is written and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use strat::record::Manifest;
use strat_fuzz::{grown, limits, meter::bounded};

fuzz_target!(|input: &[u8]| {
    let text = grown(input);
    let parse = |text: &[u8]| Manifest::parse(text, Path::new("manifest.json")).map_err(|e| e.to_string());
    if let Ok(manifest) = bounded(text.len(), limits::MANIFEST, || parse(&text)) {
        assert_eq!(parse(manifest.to_text().as_bytes()).as_ref(), Ok(&manifest));
        let places = manifest.places();
        if let Some(last) = places.count().checked_sub(1) {
            let (row, seed) = places.at(last);
            assert_eq!((row < manifest.rows.len(), places.position(row, seed)), (true, Some(last)));
        }
    }
});
