//! Small valid files of every form, made here.
#![allow(dead_code)] // every test file uses some of them

use std::io::{Cursor, Write};

/// Nine digits in a circle, rows shifted so that every box is complete.
pub fn sudoku() -> String {
    let cell = |i: usize| char::from(b'1' + ((i / 9 * 3 + i / 27 + i % 9) % 9) as u8);
    let solution: String = (0..81).map(cell).collect();
    let puzzle = |keep: usize| -> String {
        solution.chars().enumerate().map(|(i, c)| if i % keep == 0 { c } else { '0' }).collect()
    };
    (2..7).map(|keep| format!("{},{solution}\n", puzzle(keep))).collect()
}

/// UCI's file, which follows a rule: all boards in order, won by x, then by o, then full draws.
pub fn tic_tac_toe() -> String {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    let boards: Vec<[usize; 9]> =
        (0..19_683).map(|n: usize| std::array::from_fn(|i| n / 3usize.pow(8 - i as u32) % 3)).collect();
    let count = |b: &[usize; 9], mark| b.iter().filter(|&&m| m == mark).count();
    let wins = |b: &[usize; 9], mark| LINES.iter().any(|l| l.iter().all(|&i| b[i] == mark));
    let x_won = |b: &&[usize; 9]| wins(b, 0) && !wins(b, 1) && count(b, 0) == count(b, 1) + 1;
    let o_won = |b: &&[usize; 9]| wins(b, 1) && !wins(b, 0) && count(b, 0) == count(b, 1);
    let draw = |b: &&[usize; 9]| !wins(b, 0) && !wins(b, 1) && count(b, 2) == 0 && count(b, 0) == 5;
    let line = |b: &[usize; 9], class| b.iter().map(|&m| ["x,", "o,", "b,"][m]).collect::<String>() + class + "\n";
    let won = boards.iter().filter(x_won).map(|b| line(b, "positive"));
    let others = boards.iter().filter(o_won).chain(boards.iter().filter(draw));
    won.chain(others.map(|b| line(b, "negative"))).collect()
}

/// A blinker and a block, as `.` and `*`.
const BLINKER: [&str; 2] =
    ["......\n......\n..***.\n......\n......\n......", "......\n...*..\n...*..\n...*..\n......\n......"];

pub fn life_csv() -> String {
    let digits = |grid: &str| grid.replace('\n', "").replace('.', "0").replace('*', "1");
    let [before, after] = BLINKER.map(digits);
    format!("row_in_jsonl,curriculum,input,output_wrap\n66,A,{before},{after}\n210,B,{after},{before}\n")
}

pub fn life_jsonl() -> String {
    let row = |steps: &str, [a, b]: [&str; 2]| {
        let text = format!(
            "# Conway's Game of Life\n\nPerform {steps}.\n\n## Input\n\n```\n{a}\n```\n\n\n## Output without wrap\n\n\
             ```\n{b}\n```\n\n## Output with wrap\n\n```\n{b}\n```\n\n\n## Status\n\nThe outputs are identical."
        );
        serde_json::json!({ "curriculum": "StepOneSizeSmall", "text": text }).to_string() + "\n"
    };
    let [a, b] = BLINKER;
    row("1 step", [a, b])
        + &row("2 steps", [a, a])
        + &row("1 step", ["...\n...\n...", "...\n...\n..."])
        + &row("1 step", [b, a])
}

pub fn pmlb() -> String {
    "Bit 1\tBit 2\ttarget\n0\t0\t0\n0\t1\t1\n1\t0\t1\n1\t1\t-3\n".into()
}

pub fn spect() -> String {
    let row = |n: usize| (0..23).map(|i| (n >> i & 1).to_string()).collect::<Vec<_>>().join(",") + "\n";
    [1, 2_097_151, 1234].map(row).concat()
}

/// As SATLIB has them.
pub fn dimacs() -> String {
    "c a comment\nc\np cnf 4  3 \n 1 -2 3 0\n-4\n2 0\nc in between\n4 -1\n3 0\n%\n0\n\n".into()
}

pub fn satbench() -> String {
    "{\"dims\": [2, 2], \"num_vars\": 4, \"num_clauses\": 2, \"clauses\": [[1, -2], [3, 4]], \"satisfiable\": true, \
     \"question\": \"?\"}\n{\"dims\": [2, 2], \"num_vars\": 4, \"num_clauses\": 2, \
     \"readable\": \"(¬x(0,1) ∨ x(1,0)) ∧ (x(1,1))\", \"satisfiable\": false}\n"
        .into()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = lzma_rust2::XzWriter::new(vec![], lzma_rust2::XzOptions::with_preset(0)).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(vec![]));
    for (name, bytes) in entries {
        out.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

pub fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = tar::Builder::new(vec![]);
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        out.append_data(&mut header, name, *bytes).unwrap();
    }
    out.into_inner().unwrap()
}
