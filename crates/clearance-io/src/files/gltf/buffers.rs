//! The bytes of a glTF file and the numbers in them. Every size is compared with the bytes that are there before any is taken.

use super::super::text::one_line;
use super::super::{Folder, MAX_FILE_BYTES, Special, open};
use super::document::{Accessor, Buffer, Document};
use crate::error::{Error, Place};
use std::borrow::Cow;
use std::io::Read;

/// The largest distance from element to element. Limit: `byteStride` is at most 252 in the specification of glTF 2.0.
const MAX_STRIDE: u64 = 252;

pub(super) struct Buffers<'a> {
    document: &'a Document,
    buffers: Vec<Cow<'a, [u8]>>,
    /// How many bytes came from other files.
    pub bytes_elsewhere: u64,
}

impl<'a> Buffers<'a> {
    pub fn read(document: &'a Document, chunk: Option<&'a [u8]>, name: &str, folder: &Folder) -> Result<Self, Error> {
        let mut buffers = Vec::new();
        let mut bytes_elsewhere = 0;
        for (index, buffer) in document.buffers.iter().enumerate() {
            let fail = |message: String| {
                let message = format!("buffers[{index}]: {message}");
                Error::Mesh { place: Place::file(name), message }
            };
            let bytes = match &buffer.uri {
                None if index == 0 && chunk.is_some() => Cow::Borrowed(chunk.unwrap_or_default()),
                None => return Err(fail("it has neither a uri nor a chunk BIN; export the file again".into())),
                Some(uri) if uri.starts_with("data:") => Cow::Owned(
                    embedded(uri).ok_or_else(|| fail("its data are not in base64; export the file again".into()))?,
                ),
                Some(uri) => {
                    let bytes = elsewhere(uri, buffer, folder, bytes_elsewhere).map_err(fail)?;
                    bytes_elsewhere += bytes.len() as u64;
                    Cow::Owned(bytes)
                }
            };
            if (bytes.len() as u64) < buffer.byte_length {
                let (claimed, there) = (buffer.byte_length, bytes.len());
                return Err(fail(format!(
                    "it claims {claimed} bytes, but has {there}; it is cut off, export it again"
                )));
            }
            buffers.push(bytes);
        }
        Ok(Self { document, buffers, bytes_elsewhere })
    }

    /// The places of vertices.
    pub fn positions(&self, index: u32) -> Result<Vec<[f64; 3]>, String> {
        let (accessor, elements) = self.elements(index, "VEC3", 3)?;
        let numbers = Numbers::of(accessor)
            .ok_or_else(|| format!("accessors[{index}] has positions of an unknown type; export the file again"))?;
        (0..)
            .zip(elements)
            .map(|(number, bytes)| {
                let size = numbers.size();
                let position: [f64; 3] =
                    std::array::from_fn(|axis| numbers.read(&bytes[axis * size..(axis + 1) * size]));
                if position.iter().all(|x| x.is_finite()) {
                    Ok(position)
                } else {
                    let number: u64 = number;
                    Err(format!(
                        "accessors[{index}] has a coordinate that is not a finite number in vertex {number}; correct it"
                    ))
                }
            })
            .collect()
    }

    /// Numbers of vertices.
    pub fn indices(&self, index: u32) -> Result<Vec<u32>, String> {
        let (accessor, elements) = self.elements(index, "SCALAR", 1)?;
        let read: fn(&[u8]) -> u32 = match accessor.component_type {
            5121 => |bytes| bytes[0].into(),
            5123 => |bytes| u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            5125 => |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            _ => return Err(format!("accessors[{index}] has indices of an unknown type; export the file again")),
        };
        Ok(elements.map(read).collect())
    }

    /// The bytes of each element of an accessor.
    fn elements(
        &self,
        index: u32,
        kind: &str,
        numbers: u64,
    ) -> Result<(&Accessor, impl Iterator<Item = &[u8]>), String> {
        let fail = |what: &str| Err(format!("accessors[{index}] {what}; export the file again"));
        let Some(accessor) = self.document.accessors.get(index as usize) else { return fail("is not there") };
        if accessor.sparse.is_some() {
            return fail("is sparse, which is not read");
        }
        if accessor.kind != kind {
            return fail(&format!("is {}, but must be {kind}", crate::json::quoted(&accessor.kind)));
        }
        let Some(view) = accessor.buffer_view else { return fail("has no bufferView, so it is compressed or empty") };
        let Some(view) = self.document.buffer_views.get(view as usize) else {
            return fail("has a bufferView that is not there");
        };
        let Some(buffer) = self.buffers.get(view.buffer as usize) else {
            return fail("has a buffer that is not there");
        };
        let size = match accessor.component_type {
            5120 | 5121 => numbers,
            5122 | 5123 => 2 * numbers,
            5125 | 5126 => 4 * numbers,
            _ => return fail("has an unknown type"),
        };
        let stride = view.byte_stride.unwrap_or(size);
        if !(size..=MAX_STRIDE).contains(&stride) {
            return fail(&format!("has a byteStride of {stride}, which must be from {size} to {MAX_STRIDE}"));
        }
        let end_of_view = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= buffer.len() as u64);
        let Some(end_of_view) = end_of_view else { return fail("has a bufferView that is longer than its buffer") };
        let start = view.byte_offset.checked_add(accessor.byte_offset);
        let length = accessor.count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        let (Some(start), Some(end)) = (start, end.filter(|&end| end <= end_of_view)) else {
            return fail(&format!("claims {} elements, which is more than its bufferView has", accessor.count));
        };
        // The last element need not have the whole stride.
        let bytes = &buffer[start as usize..end as usize];
        Ok((accessor, bytes.chunks(stride as usize).map(move |chunk| &chunk[..size as usize])))
    }
}

/// How coordinates are written.
#[derive(Clone, Copy)]
struct Numbers {
    component_type: u32,
    is_normalized: bool,
}

impl Numbers {
    fn of(accessor: &Accessor) -> Option<Self> {
        let component_type = accessor.component_type;
        [5120, 5121, 5122, 5123, 5126]
            .contains(&component_type)
            .then_some(Self { component_type, is_normalized: accessor.normalized })
    }

    fn size(self) -> usize {
        match self.component_type {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        }
    }

    /// The number exactly, unless it is a fraction of the largest of its type.
    fn read(self, bytes: &[u8]) -> f64 {
        let (number, largest): (f64, f64) = match *bytes {
            [a] if self.component_type == 5120 => ((a as i8).into(), 127.0),
            [a] => (a.into(), 255.0),
            [a, b] if self.component_type == 5122 => (i16::from_le_bytes([a, b]).into(), 32767.0),
            [a, b] => (u16::from_le_bytes([a, b]).into(), 65535.0),
            [a, b, c, d] => return f32::from_le_bytes([a, b, c, d]).into(),
            _ => (0.0, 1.0),
        };
        if self.is_normalized { (number / largest).max(-1.0) } else { number }
    }
}

/// The bytes of a data URI.
fn embedded(uri: &str) -> Option<Vec<u8>> {
    let (head, data) = uri.split_once(',')?;
    head.ends_with(";base64").then(|| base64(data.as_bytes())).flatten()
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.chunks(4) {
        let mut bits: u32 = 0;
        for (place, &byte) in chunk.iter().enumerate() {
            bits |= u32::from(value(byte)?) << (18 - 6 * place);
        }
        let [_, a, b, c] = bits.to_be_bytes();
        bytes.extend(
            &[a, b, c][..match chunk.len() {
                4 => 3,
                3 => 2,
                2 => 1,
                _ => return None,
            }],
        );
    }
    Some(bytes)
}

/// The bytes of a file that the text names; it must be inside the folder.
fn elsewhere(uri: &str, buffer: &Buffer, folder: &Folder, before: u64) -> Result<Vec<u8>, String> {
    let name =
        unescaped(uri).ok_or_else(|| format!("the uri {} is malformed; correct it", crate::json::quoted(uri)))?;
    // As in http://…; what has no scheme is a path.
    let has_scheme = name
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)));
    if has_scheme {
        return Err(format!("the uri {} is no path; put the file into the same folder", crate::json::quoted(uri)));
    }
    let path = folder.resolve(&name).map_err(one_line)?;
    let wanted = "that holds the bytes of the buffer";
    let (file, size) = open(&path, &name, wanted, Special::Refused).map_err(one_line)?;
    if before + size.min(buffer.byte_length) > MAX_FILE_BYTES {
        return Err(one_line(Error::TooLarge { file: name, limit: MAX_FILE_BYTES }));
    }
    let mut bytes = Vec::new();
    // Not more than the text claims; the rest, if any, belongs to nothing.
    file.take(buffer.byte_length)
        .read_to_end(&mut bytes)
        .map_err(|error| one_line(Error::from_io(name.as_ref(), &error)))?;
    folder.log.add(&name, &bytes);
    Ok(bytes)
}

/// A path without its percent escapes.
fn unescaped(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || (rest.next()? as char).to_digit(16);
                (16 * digit()? + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(base64(b"AAECAw==").unwrap(), [0, 1, 2, 3]);
        assert_eq!(base64(b"AAECAw").unwrap(), [0, 1, 2, 3]);
        assert_eq!(base64(b"+/8=").unwrap(), [0xfb, 0xff]);
        assert_eq!(base64(b""), Some(Vec::new()));
        assert_eq!([base64(b"A"), base64(b"AA=A"), base64(b"A A="), base64(b"AA\n=")], [const { None }; 4]);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescaped("a%20b%2Fc").unwrap(), "a b/c");
        assert_eq!([unescaped("%"), unescaped("%2"), unescaped("%zz"), unescaped("%ff")], [const { None }; 4]);
    }
}
