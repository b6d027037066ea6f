//! Times httparse as `../driver.c` times picohttpparser, with the same arguments: the same heads, each in a separate
//! block, and the same samples.
//!
//!     parse-bench response|request FILE
//!
//! Every byte read from standard input requests one sample of about 2 ms; the output is one line, the nanoseconds for
//! one head. Before the first sample and after the last one, each field is compared with what a plain search for line
//! ends, colons and blanks finds.
use std::io::{Read, Write};
use std::time::Instant;

use httparse::{Header, Request, Response, Status, EMPTY_HEADER};

const MAX_FIELDS: usize = 128;

/// Reads a head. If the file's name begins with "mixed", it reads heads, each after its length.
fn heads(path: &str) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap_or_else(|_| peers::fail("parse-bench: cannot read the file"));
    if !path.rsplit('/').next().unwrap_or(path).starts_with("mixed") {
        return vec![bytes];
    }
    let mut heads = Vec::new();
    let mut rest = &bytes[..];
    while rest.len() >= 4 {
        let (prefix, after) = rest.split_at(4);
        let length = u32::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]) as usize;
        if length > after.len() {
            peers::fail("parse-bench: a head is cut");
        }
        heads.push(after[..length].to_vec());
        rest = &after[length..];
    }
    heads
}

/// Parses a head. Returns its length and the number of its fields.
fn parse<'a>(head: &'a [u8], is_request: bool, fields: &mut [Header<'a>]) -> (usize, usize) {
    let (result, count) = if is_request {
        let mut request = Request::new(fields);
        (request.parse(head), request.headers.len())
    } else {
        let mut response = Response::new(fields);
        (response.parse(head), response.headers.len())
    };
    match result {
        Ok(Status::Complete(length)) => (length, count),
        _ => peers::fail("parse-bench: httparse refused the head"),
    }
}

/// Ends the program if the parser finds other fields in a head than those between its line ends.
fn check(head: &[u8], is_request: bool) {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let (length, count) = parse(head, is_request, &mut fields);
    let text = std::str::from_utf8(head).unwrap_or_else(|_| peers::fail("parse-bench: the head is not UTF-8"));
    let lines = text.strip_suffix("\r\n\r\n").unwrap_or("").split("\r\n").skip(1);
    let expected = lines.map(|line| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        (name, value.trim_matches([' ', '\t']).as_bytes())
    });
    let found = fields[..count].iter().map(|field| (field.name, field.value));
    if length != head.len() || !found.eq(expected) {
        peers::fail("parse-bench: httparse found other fields");
    }
}

/// Returns the nanoseconds of this many passes over the heads.
fn timed(passes: usize, heads: &[Vec<u8>], is_request: bool) -> f64 {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let mut bytes = 0;
    let start = Instant::now();
    for _ in 0..passes {
        for head in heads {
            bytes += parse(std::hint::black_box(head), is_request, &mut fields).0;
            std::hint::black_box(&fields);
        }
    }
    let taken = start.elapsed().as_nanos() as f64;
    if bytes != passes * heads.iter().map(Vec::len).sum::<usize>() {
        peers::fail("parse-bench: not all bytes were read");
    }
    taken
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 3 || !["response", "request"].contains(&words[1].as_str()) {
        peers::fail("usage: parse-bench response|request FILE");
    }
    let is_request = words[1] == "request";
    let heads = heads(&words[2]);
    heads.iter().for_each(|head| check(head, is_request));
    let mut passes = 1;
    let mut taken = timed(passes, &heads, is_request);
    while taken < 50e6 {
        passes *= 2;
        taken = timed(passes, &heads, is_request);
    }
    passes = ((passes as f64 * 2e6 / taken) as usize).max(1);
    let mut output = std::io::stdout();
    for byte in std::io::stdin().bytes() {
        byte.unwrap_or_else(|_| peers::fail("parse-bench: cannot read the standard input"));
        let sample = timed(passes, &heads, is_request) / (passes * heads.len()) as f64;
        if writeln!(output, "{sample:.2}").and_then(|()| output.flush()).is_err() {
            peers::fail("parse-bench: the output is closed");
        }
    }
    heads.iter().for_each(|head| check(head, is_request));
}
