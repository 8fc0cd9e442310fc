//! XML from untrusted files: elements and texts in their order, and the values of attributes.

use super::text::one_line;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// A piece of an XML text.
pub(super) enum Item<'e, 'a> {
    /// An element begins. One without content is closed at once.
    Open(&'e BytesStart<'a>),
    /// Text between elements, as it stands in the file. A comment ends a piece of it.
    Text(&'a str),
    /// An entity such as `&amp;` or `&#48;` between elements, which stands for text.
    Entity,
    /// The element that was opened last ends.
    Close,
}

/// A fault in a text, and its line.
#[derive(Debug)]
pub(super) struct Fault {
    pub line: u64,
    pub message: String,
}

/// The line of a byte, counted from 1.
pub(super) fn line_at(text: &str, byte: usize) -> u64 {
    1 + super::count_newlines(&text.as_bytes()[..byte.min(text.len())])
}

/// Shows all items with the lines on which they begin. A fault gets its line.
pub(super) fn walk<'a>(
    text: &'a str,
    mut visit: impl FnMut(Item<'_, 'a>, u64) -> Result<(), String>,
) -> Result<(), Fault> {
    let mut reader = Reader::from_str(text);
    let mut depth = 0_u64;
    // Lines are counted on from the last item: from the beginning, many items would take long.
    let (mut start, mut line) = (0, 1);
    loop {
        let at = reader.buffer_position() as usize;
        line += super::count_newlines(&text.as_bytes()[start..at]);
        start = at;
        let fail = |message: &str| Fault { line, message: message.into() };
        let mut show = |item: Item<'_, 'a>| visit(item, line).map_err(|message| Fault { line, message });
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                depth += 1;
                show(Item::Open(&element))?;
            }
            Ok(Event::Empty(element)) => {
                show(Item::Open(&element))?;
                show(Item::Close)?;
            }
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                show(Item::Close)?;
            }
            Ok(Event::Text(words)) => show_borrowed(words.into_inner(), show)?,
            Ok(Event::CData(words)) => show_borrowed(words.into_inner(), show)?,
            Ok(Event::Eof) if depth == 0 => return Ok(()),
            Ok(Event::GeneralRef(_)) => show(Item::Entity)?,
            Ok(Event::Eof) => return Err(fail("the text is cut off; export the file again")),
            // Entities of a file's own could make text of any length out of nothing.
            Ok(Event::DocType(_)) => return Err(fail("a DOCTYPE is not read; export the file again")),
            Ok(_) => {}
            Err(error) => {
                let line = line_at(text, reader.error_position() as usize);
                let message = format!("this is no XML ({}); export the file again", one_line(error));
                return Err(Fault { line, message });
            }
        }
    }
}

/// Text that is read from memory is borrowed from there.
fn show_borrowed<'a>(
    words: Cow<'a, str>,
    mut show: impl FnMut(Item<'_, 'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match words {
        Cow::Borrowed(words) => show(Item::Text(words)),
        Cow::Owned(_) => Ok(()),
    }
}

/// The values of attributes, by name; `*:name` is the name after any prefix.
pub(super) fn attributes<'e, const N: usize>(
    element: &'e BytesStart<'_>,
    names: [&str; N],
) -> Result<[Option<Cow<'e, str>>; N], String> {
    let mut values = [const { None }; N];
    each_attribute(element, |key, value| {
        let fits = |name: &&str| match name.strip_prefix("*:") {
            Some(name) => key.split_once(':').is_some_and(|(_, local)| local == name),
            None => key == *name,
        };
        let Some(place) = names.iter().position(fits) else { return Ok(()) };
        match values[place].replace(value()?) {
            Some(_) => Err(given_twice(key)),
            None => Ok(()),
        }
    })?;
    Ok(values)
}

/// Shows every attribute: its name, and a function that decodes its value.
pub(super) fn each_attribute<'e>(
    element: &'e BytesStart<'_>,
    mut visit: impl FnMut(&str, &dyn Fn() -> Result<Cow<'e, str>, String>) -> Result<(), String>,
) -> Result<(), String> {
    let mut list = element.attributes();
    // It would compare each with all others, which takes long where there are many.
    for attribute in list.with_checks(false) {
        let attribute =
            attribute.map_err(|error| format!("an attribute is malformed ({}); correct it", one_line(error)))?;
        let key: &str = attribute.key.as_ref();
        let value = || {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            value.map_err(|error| {
                format!("the value of {} is malformed ({}); correct it", one_line(key), one_line(error))
            })
        };
        visit(key, &value)?;
    }
    Ok(())
}

pub(super) fn given_twice(key: &str) -> String {
    format!("{} is given twice; correct it", one_line(key))
}

pub(super) fn parsed<T: std::str::FromStr>(value: Option<Cow<'_, str>>, name: &str) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("{name} is missing; export the file again"))?;
    let wrong = |_| format!("{name} is {}, which is no such number; correct it", crate::json::quoted(&value));
    value.trim_ascii().parse().map_err(wrong)
}
