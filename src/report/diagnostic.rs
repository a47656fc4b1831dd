//! A fault in a user's file, with the file, the line, the column and the offending text underlined.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::model::source::SourceError;
use crate::model::text::{escape, is_plain};
use crate::report::shorten;

/// More of a line than this is cut away around the fault.
const WIDEST: usize = 240;

/// Renders the fault; `colour` says whether with ANSI colours.
#[must_use]
pub fn diagnostic(error: &SourceError, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let path = escape(&error.path.to_string_lossy()).into_owned();
    let title = shorten(&error.message, 400);
    let (source, span, cut) = visible(error);
    let shown_column = source[..span.start].chars().count() + 1;
    let snippet = Snippet::source(source)
        .line_start(error.line())
        .path(path.clone())
        .annotation(AnnotationKind::Primary.span(span));
    let mut group = Level::ERROR.primary_title(title).element(snippet);
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(escape(help).into_owned()));
    }
    let rendered = renderer.render(&[group]);
    if !cut {
        return format!("{rendered}\n");
    }
    // The renderer counts columns in what it is given; the user's file has the whole line.
    let place = |column: usize| format!("{path}:{}:{column}", error.line());
    format!("{}\n", rendered.replacen(&place(shown_column), &place(error.column()), 1))
}

/// The line of the fault with every hidden character replaced by one that shows, where the fault
/// stands in it, and whether its beginning was cut away.
fn visible(error: &SourceError) -> (String, Range<usize>, bool) {
    let text = &error.text;
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(error.span.start.min(text.len()));
    let end = floor(error.span.end.min(text.len())).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = end.min(line_end);
    let from = floor(line_start.max(start.saturating_sub(WIDEST / 2)));
    let to = floor(line_end.min(end.min(start + WIDEST / 2) + WIDEST / 2));
    let mut shown = String::new();
    let mut span = 0..0;
    for (at, c) in text[from..to].char_indices() {
        if from + at == start {
            span.start = shown.len();
        }
        if from + at == end {
            span.end = shown.len();
        }
        shown.push(picture(c));
    }
    if from == to || start >= to {
        span.start = shown.len();
    }
    if end >= to {
        span.end = shown.len();
    }
    span.end = span.end.max(span.start);
    (shown, span, from > line_start)
}

/// One character for one, so that columns stay true.
fn picture(c: char) -> char {
    match u32::from(c) {
        9 => ' ',
        code @ 0..=31 => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        127 => '\u{2421}',
        _ if is_plain(c) => c,
        _ => '\u{fffd}',
    }
}
