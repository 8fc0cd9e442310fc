//! The words of a VRML file, and the nodes that they make.
//!
//! Fields are read by the shape of their values, without a table of types: numbers and words are a list of words, and what begins with a
//! name and a brace is a node. Nesting is bounded, since nodes are read by recursion.

use super::super::xml::Fault;
use super::node::{Node, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Limit: nodes in nodes, by braces or by `USE`. They are read and freed by recursion.
const MAX_DEPTH: usize = 200;

/// Reads a whole text; its nodes are the children of one group. Also how many nodes were written.
pub(super) fn read(text: &[u8]) -> Result<(Rc<Node>, usize), Fault> {
    let words = Words { text, at: 0, line: 1, peeked: None };
    let mut parser = Parser { words, names: HashMap::new(), protos: HashSet::new(), count: 0 };
    let mut children = Vec::new();
    while let Some(word) = parser.words.next()? {
        children.extend(parser.statement(word, 0)?);
    }
    Ok((Rc::new(Node::group(children)), parser.count))
}

/// A word, and its line.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    line: u64,
}

impl Word<'_> {
    fn fail(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.line, message: message.into() }
    }

    fn shown(&self) -> String {
        super::super::text::shown(self.text)
    }
}

struct Words<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
    peeked: Option<Word<'a>>,
}

impl<'a> Words<'a> {
    fn peek(&mut self) -> Result<Option<Word<'a>>, Fault> {
        if self.peeked.is_none() {
            self.peeked = self.read()?;
        }
        Ok(self.peeked)
    }

    fn next(&mut self) -> Result<Option<Word<'a>>, Fault> {
        match self.peeked.take() {
            Some(word) => Ok(Some(word)),
            None => self.read(),
        }
    }

    /// The next word, where there must be one.
    fn expect(&mut self) -> Result<Word<'a>, Fault> {
        let word = self.next()?;
        word.ok_or_else(|| Fault { line: self.line, message: "the text is cut off; export the file again".into() })
    }

    fn read(&mut self) -> Result<Option<Word<'a>>, Fault> {
        // Blanks, commas and comments are between words. Line ends are those of any system.
        loop {
            match self.text.get(self.at) {
                None => return Ok(None),
                Some(b'#') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(rest.len());
                }
                Some(b'\n') => {
                    self.line += 1;
                    self.at += 1;
                }
                Some(b'\r') => {
                    self.line += u64::from(self.text.get(self.at + 1) != Some(&b'\n'));
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b',') => self.at += 1,
                Some(_) => break,
            }
        }
        let (start, line) = (self.at, self.line);
        let rest = &self.text[start..];
        let length = match rest[0] {
            b'{' | b'}' | b'[' | b']' => 1,
            b'"' => {
                let mut length = 1;
                loop {
                    match rest.get(length) {
                        None => {
                            return Err(Fault {
                                line,
                                message: "a text in quotes has no end; export the file again".into(),
                            });
                        }
                        Some(b'\\') => length += 2,
                        Some(b'"') => break length + 1,
                        Some(byte) => {
                            self.line += u64::from(*byte == b'\n');
                            length += 1;
                        }
                    }
                }
            }
            0 => {
                return Err(Fault {
                    line,
                    message: "there is a byte 0 here, so this is no text; export the file again".into(),
                });
            }
            _ => rest.iter().position(|byte| b" \t\r\n,{}[]\"#".contains(byte)).unwrap_or(rest.len()),
        };
        self.at += length.min(rest.len());
        Ok(Some(Word { text: &rest[..length.min(rest.len())], line }))
    }
}

fn nested() -> String {
    format!("nodes are nested more than {MAX_DEPTH} deep; flatten them")
}

struct Parser<'a> {
    words: Words<'a>,
    /// The nodes that `DEF` has named so far. One is named when it is complete, so that no node is inside itself.
    names: HashMap<&'a [u8], Rc<Node>>,
    protos: HashSet<&'a [u8]>,
    /// How many nodes were written so far.
    count: usize,
}

impl<'a> Parser<'a> {
    /// A node, or a statement that is none.
    fn statement(&mut self, word: Word<'a>, depth: usize) -> Result<Option<Rc<Node>>, Fault> {
        match word.text {
            b"PROTO" | b"EXTERNPROTO" => {
                self.protos.insert(self.words.expect()?.text);
                self.skip_block()?;
                // A prototype has a body; that of another file has one address or several.
                if word.text == b"PROTO" || self.words.peek()?.is_some_and(|next| next.text == b"[") {
                    self.skip_block()?;
                } else {
                    self.words.expect()?;
                }
                Ok(None)
            }
            b"ROUTE" => {
                for _ in 0..3 {
                    self.words.expect()?;
                }
                Ok(None)
            }
            _ => self.node(word, depth),
        }
    }

    /// A node that begins with that word; none for `NULL`.
    fn node(&mut self, word: Word<'a>, depth: usize) -> Result<Option<Rc<Node>>, Fault> {
        if depth > MAX_DEPTH {
            return Err(word.fail(nested()));
        }
        match word.text {
            b"NULL" => Ok(None),
            b"USE" => {
                let name = self.words.expect()?;
                let node = self.names.get(name.text).map(Rc::clone);
                node.map(Some)
                    .ok_or_else(|| name.fail(format!("no node is named {}; export the file again", name.shown())))
            }
            b"DEF" => {
                let name = self.words.expect()?;
                let kind = self.words.expect()?;
                let node = self.body(kind, Some(String::from_utf8_lossy(name.text).into()), depth)?;
                self.names.insert(name.text, Rc::clone(&node));
                Ok(Some(node))
            }
            _ => self.body(word, None, depth).map(Some),
        }
    }

    fn body(&mut self, kind: Word<'a>, name: Option<Rc<str>>, depth: usize) -> Result<Rc<Node>, Fault> {
        let is_name = kind.text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let brace = self.words.next()?;
        if !is_name || brace.is_none_or(|brace| brace.text != b"{") {
            return Err(
                kind.fail(format!("a node such as `Shape {{` is expected here, not {}; correct it", kind.shown()))
            );
        }
        let is_script = kind.text == b"Script";
        let mut node = Node::new(&String::from_utf8_lossy(kind.text), name, kind.line);
        node.is_proto = self.protos.contains(kind.text);
        self.count += 1;
        loop {
            let field = self.words.expect()?;
            match field.text {
                b"}" => return Ok(Rc::new(node)),
                b"PROTO" | b"EXTERNPROTO" | b"ROUTE" => drop(self.statement(field, depth + 1)?),
                b"eventIn" | b"eventOut" | b"exposedField" | b"field" if is_script => {
                    self.words.expect()?;
                    self.words.expect()?;
                    if field.text.ends_with(b"ield") {
                        self.value(depth)?;
                    }
                }
                b"{" | b"[" | b"]" => {
                    return Err(field.fail(format!("{} has no place here; correct it", field.shown())));
                }
                _ => {
                    let value = self.value(depth)?;
                    let height = value.nodes.iter().map(|inner| inner.height + 1).max().unwrap_or(0);
                    node.height = node.height.max(height);
                    if node.height > MAX_DEPTH {
                        return Err(field.fail(nested()));
                    }
                    node.fields.push((String::from_utf8_lossy(field.text).into(), field.line, value));
                }
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        let first = self.words.expect()?;
        if first.text != b"[" {
            return self.single(first, depth);
        }
        let mut value = Value::default();
        loop {
            let word = self.words.expect()?;
            if word.text == b"]" {
                return Ok(value);
            }
            self.add(word, &mut value, depth)?;
        }
    }

    /// A value without brackets: a node, or words up to the next field.
    fn single(&mut self, first: Word<'a>, depth: usize) -> Result<Value, Fault> {
        let mut value = Value::default();
        self.add(first, &mut value, depth)?;
        // Vectors and rotations are several numbers.
        while value.nodes.is_empty() && !value.numbers.is_empty() {
            match self.words.peek()? {
                Some(word) if number(word.text).is_some() => {
                    let word = self.words.expect()?;
                    self.add(word, &mut value, depth)?;
                }
                _ => break,
            }
        }
        Ok(value)
    }

    fn add(&mut self, word: Word<'a>, value: &mut Value, depth: usize) -> Result<(), Fault> {
        if let Some(number) = number(word.text) {
            value.numbers.push(number);
            return Ok(());
        }
        match word.text {
            b"TRUE" => value.is_true = Some(true),
            b"FALSE" => value.is_true = Some(false),
            [b'"', ..] => {}
            b"{" | b"}" | b"[" | b"]" => {
                return Err(word.fail(format!("{} has no place here; correct it", word.shown())));
            }
            b"IS" => drop(self.words.expect()?),
            _ => value.nodes.extend(self.statement(word, depth + 1)?),
        }
        Ok(())
    }

    /// Passes over what is between two braces or brackets.
    fn skip_block(&mut self) -> Result<(), Fault> {
        let first = self.words.expect()?;
        if !matches!(first.text, b"{" | b"[") {
            return Err(first.fail(format!("a bracket is expected here, not {}; correct it", first.shown())));
        }
        let mut depth = 1_u64;
        while depth > 0 {
            match self.words.expect()?.text {
                b"{" | b"[" => depth += 1,
                b"}" | b"]" => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A number in decimal or hexadecimal digits. Words such as `inf` are none here, but names.
fn number(word: &[u8]) -> Option<f64> {
    if !word.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte)) {
        return None;
    }
    match word.strip_prefix(b"0x").or_else(|| word.strip_prefix(b"0X")) {
        Some(digits) => u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().map(f64::from),
        None => super::super::text::number(word),
    }
}
