//! What the fuzz targets share.

pub mod limits;
pub mod meter;

/// The longest text that [`grown`] makes.
const LONGEST: usize = 1 << 18;

/// A text with a piece of it repeated. Memory is wasted in long files, and a fuzzer makes short ones.
///
/// The first six bytes say where the piece starts, how long it is, and how often it comes. Six
/// spaces are past the end of any seed and change nothing, so that seeds are plain JSON.
pub fn grown(input: &[u8]) -> Vec<u8> {
    let Some((numbers, text)) = input.split_first_chunk::<6>() else { return input.to_vec() };
    let number = |i: usize| usize::from(u16::from_le_bytes([numbers[2 * i], numbers[2 * i + 1]]));
    let (head, rest) = text.split_at(number(0).min(text.len()));
    let (piece, tail) = rest.split_at(number(1).min(rest.len()));
    let times = number(2).min(LONGEST / piece.len().max(1));
    [head, &piece.repeat(times), tail].concat()
}
