//! XML from untrusted files, as a tree of elements that know their lines.
//!
//! Text between elements, comments and processing instructions are left out: URDF and SRDF have none that count. The tree is bounded before it grows,
//! and a `DOCTYPE` is refused, since its entities could make text of any length.

use crate::error::Error;
use clearance_io::Place;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Limit: the elements of a robot are read into memory; the largest known URDF has about 30,000.
const MAX_ELEMENTS: usize = 1 << 20;
/// Limit: the tree is dropped by recursion; URDF needs 5 levels, plugins in it about 10.
const MAX_DEPTH: usize = 64;
/// Limit: elements of robots have at most 6 attributes, those of plugins a few more.
const MAX_ATTRIBUTES: usize = 64;
/// Limit: a robot of 1 MB is large, and every attribute is copied.
const MAX_BYTES: usize = 1 << 26;

/// An element, with its attributes and the elements inside it.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub line: u64,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All elements of that name directly inside this one.
    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The only element of that name, if there is one; a second one is an error.
    pub fn single(&self, name: &str, place: &Place) -> Result<Option<&Self>, Error> {
        let mut all = self.children.iter().filter(|child| child.name == name);
        let first = all.next();
        match all.next() {
            Some(second) => {
                Err(second.fault(place, format!("<{}> has a second <{name}>; keep one of them", self.name)))
            }
            None => Ok(first),
        }
    }

    /// An attribute that must be there and must not be empty.
    pub fn required(&self, name: &str, place: &Place) -> Result<&str, Error> {
        match self.attribute(name) {
            Some(value) if !value.trim().is_empty() => Ok(value),
            Some(_) => {
                Err(self.fault(place, format!("the attribute {name} of <{}> is empty; give it a value", self.name)))
            }
            None => Err(self.fault(place, format!("<{}> has no attribute {name}; add it", self.name))),
        }
    }

    /// Finite numbers of an attribute, separated by spaces; `None` without the attribute.
    pub fn numbers<const N: usize>(&self, name: &str, place: &Place) -> Result<Option<[f64; N]>, Error> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        let mut numbers = [0.0; N];
        let mut count = 0;
        for word in text.split_ascii_whitespace() {
            let value: f64 = word.parse().map_err(|_| {
                self.fault(
                    place,
                    format!("{name} of <{}> has {}, which is no number; correct it", self.name, quoted(word)),
                )
            })?;
            // NaN passes no comparison.
            if !(value.abs() <= clearance::error::MAX_COORDINATE) {
                let wrong = if value.is_finite() { "too large to compute with" } else { "not a finite number" };
                return Err(
                    self.fault(place, format!("{name} of <{}> is {value}, which is {wrong}; correct it", self.name))
                );
            }
            if let Some(slot) = numbers.get_mut(count) {
                *slot = value;
            }
            count += 1;
        }
        if count != N {
            let wanted = if N == 1 { "one number".into() } else { format!("{N} numbers") };
            return Err(self.fault(
                place,
                format!("{name} of <{}> has {count} numbers, but must have {wanted}; correct it", self.name),
            ));
        }
        Ok(Some(numbers))
    }

    /// A number of an attribute.
    pub fn number(&self, name: &str, place: &Place) -> Result<Option<f64>, Error> {
        Ok(self.numbers::<1>(name, place)?.map(|[value]| value))
    }

    /// A fault of this element.
    pub fn fault(&self, place: &Place, message: impl Into<String>) -> Error {
        Error::at(place, self.line, message)
    }
}

/// A word of a file for a sentence: in quotation marks, and not too long.
pub fn quoted(word: &str) -> String {
    /// Limit: a sentence stays readable.
    const MOST: usize = 60;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &word[..end]),
        None => format!("{word:?}"),
    }
}

/// The tree of a text, whose only element at the top has that name.
pub fn parse(text: &str, root: &str, place: &Place) -> Result<Element, Error> {
    if text.len() > MAX_BYTES {
        return Err(Error::at(
            place,
            1,
            format!("the text has more than {MAX_BYTES} bytes; remove everything but the robot"),
        ));
    }
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut top: Option<Element> = None;
    let mut count = 0;
    // Lines are counted on from the last event: from the beginning, many events would take long.
    let (mut start, mut line) = (0, 1);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        line += newlines(&text.as_bytes()[start..at]);
        start = at;
        let fail = |message: String| Err(Error::at(place, line, message));
        let (started, is_empty) = match reader.read_event() {
            Ok(Event::Start(started)) => (started, false),
            Ok(Event::Empty(started)) => (started, true),
            Ok(Event::End(_)) => {
                if let Some(element) = open.pop() {
                    close(element, &mut open, &mut top);
                }
                continue;
            }
            Ok(Event::DocType(_)) => return fail("a DOCTYPE is not read; remove it".into()),
            Ok(Event::Eof) if open.is_empty() => break,
            Ok(Event::Eof) => {
                let name = &open[open.len() - 1].name;
                return fail(format!("the text ends inside <{name}>; complete the file"));
            }
            Ok(_) => continue,
            Err(error) => {
                let end = usize::try_from(reader.error_position()).unwrap_or(usize::MAX).min(text.len());
                let reason = error.to_string().replace(['\n', '\r'], " ");
                return Err(Error::at(
                    place,
                    1 + newlines(&text.as_bytes()[..end]),
                    format!("this is not XML ({reason}); correct it"),
                ));
            }
        };
        count += 1;
        if count > MAX_ELEMENTS {
            return fail(format!("the file has more than {MAX_ELEMENTS} elements; remove everything but the robot"));
        }
        if open.len() >= MAX_DEPTH {
            return fail(format!("elements are nested more than {MAX_DEPTH} deep; flatten them"));
        }
        let element = read(&started, line).or_else(fail)?;
        if open.is_empty() {
            if top.is_some() {
                return fail(format!("a second element <{}> stands at the top; keep one <{root}>", element.name));
            }
            if element.name != root {
                return fail(format!(
                    "the file begins with <{}>, but must begin with <{root}>; give another file",
                    element.name
                ));
            }
        }
        if is_empty { close(element, &mut open, &mut top) } else { open.push(element) }
    }
    top.ok_or_else(|| Error::at(place, line, format!("there is no <{root}>; give another file")))
}

fn close(element: Element, open: &mut [Element], top: &mut Option<Element>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *top = Some(element),
    }
}

fn read(started: &BytesStart<'_>, line: u64) -> Result<Element, String> {
    let name: &str = started.name().into_inner();
    let mut element = Element { name: name.to_owned(), line, attributes: Vec::new(), children: Vec::new() };
    let mut list = started.attributes();
    for attribute in list.with_checks(false) {
        let attribute =
            attribute.map_err(|error| format!("an attribute of <{name}> is malformed ({error}); correct it"))?;
        let key: &str = attribute.key.as_ref();
        if element.attributes.len() == MAX_ATTRIBUTES {
            return Err(format!("<{name}> has more than {MAX_ATTRIBUTES} attributes; remove some"));
        }
        if element.attribute(key).is_some() {
            return Err(format!("<{name}> has the attribute {} twice; keep one", quoted(key)));
        }
        let value = attribute
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .map_err(|error| format!("the attribute {} of <{name}> is malformed ({error}); correct it", quoted(key)))?;
        element.attributes.push((key.to_owned(), value.into_owned()));
    }
    Ok(element)
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}
