//! safetensors, by the crate that defines the format.

use super::{Array, ArraysFault, NamedArrays, decode, numbers};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;

pub(super) fn parse(bytes: &[u8]) -> Result<NamedArrays, ArraysFault> {
    let broken = |reason: String| ArraysFault::Broken { form: "safetensors", reason };
    let file = SafeTensors::deserialize(bytes).map_err(|e| broken(e.to_string()))?;
    let mut arrays = NamedArrays::new();
    let mut total = 0;
    for (name, tensor) in file.iter() {
        total += numbers(name, tensor.shape())?;
        super::numbers(name, &[total])?;
        let dtype = match tensor.dtype() {
            Dtype::F64 => "f8",
            Dtype::F32 => "f4",
            Dtype::I64 => "i8",
            Dtype::I32 => "i4",
            Dtype::I16 => "i2",
            Dtype::I8 => "i1",
            Dtype::U64 => "u8",
            Dtype::U32 => "u4",
            Dtype::U16 => "u2",
            Dtype::U8 => "u1",
            Dtype::BOOL => "b1",
            other => return Err(ArraysFault::Numbers { name: name.into(), found: format!("{other:?}") }),
        };
        let (kind, values) = decode(dtype, tensor.data()).expect("one of those above");
        arrays.insert(name.into(), Array { shape: tensor.shape().to_vec(), kind, values });
    }
    Ok(arrays)
}
