//! The tables of a JPEG: those of quantization and of Huffman codes, and the interval of restarts. The rule: a table is written once, before the scan that
//! uses it; a table that is replaced before, or that no scan uses, is left out, because it can contain anything.

use super::{HUFFMAN, QUANTIZATION, RESTART, write_segment};

/// The numbers of tables are 0 to 3; those of Huffman tables are of two classes.
const NUMBERS: usize = 4;
const CLASSES: usize = 2;
/// The lengths of codes, each with the number of its codes.
const CODE_LENGTHS: usize = 16;

/// The tables that were read and not written yet.
#[derive(Default)]
pub(super) struct Tables<'a> {
    quantization: [Option<&'a [u8]>; NUMBERS],
    huffman: [[Option<&'a [u8]>; NUMBERS]; CLASSES],
    pub(super) restart: Option<[u8; 2]>,
}

impl<'a> Tables<'a> {
    /// Takes the quantization tables of a segment, each with its precision and number. `None` if they do not fill it.
    pub(super) fn take_quantization(&mut self, mut data: &'a [u8]) -> Option<()> {
        while let Some(head) = data.first() {
            let length = 1 + if head >> 4 == 0 { 64 } else { 128 };
            let (table, rest) = data.split_at_checked(length)?;
            *self.quantization.get_mut(usize::from(head & 0xf))? = Some(table);
            data = rest;
        }
        Some(())
    }

    /// Takes the Huffman tables of a segment, each with its class and number. `None` if they do not fill it.
    pub(super) fn take_huffman(&mut self, mut data: &'a [u8]) -> Option<()> {
        while let Some(head) = data.first() {
            let codes: usize = data.get(1..=CODE_LENGTHS)?.iter().map(|count| usize::from(*count)).sum();
            let (table, rest) = data.split_at_checked(1 + CODE_LENGTHS + codes)?;
            let class = self.huffman.get_mut(usize::from(head >> 4))?;
            *class.get_mut(usize::from(head & 0xf))? = Some(table);
            data = rest;
        }
        Some(())
    }

    /// Writes the quantization tables that a component of the frame uses.
    pub(super) fn write_quantization(&mut self, frame: &[u8], written: &mut Vec<u8>) {
        for component in frame[6..].chunks_exact(3) {
            let table = self.quantization.get_mut(usize::from(component[2])).and_then(Option::take);
            table.into_iter().for_each(|table| write_segment(written, QUANTIZATION, table));
        }
    }

    /// Writes the Huffman tables that a scan uses, and the restart interval. `numbers`: for each component the number of its table of the first class in
    /// the upper four bits, and of that of the second class.
    pub(super) fn write_others(&mut self, numbers: impl Iterator<Item = u8>, written: &mut Vec<u8>) {
        for number in numbers {
            for (class, number) in self.huffman.iter_mut().zip([number >> 4, number & 0xf]) {
                let table = class.get_mut(usize::from(number)).and_then(Option::take);
                table.into_iter().for_each(|table| write_segment(written, HUFFMAN, table));
            }
        }
        self.restart.take().into_iter().for_each(|interval| write_segment(written, RESTART, &interval));
    }
}
