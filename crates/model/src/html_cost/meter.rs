//! A tree for the HTML parser that stores no content and counts the cost of the real tree. The rule: if a step costs the cleaner's tree time in proportion to
//! anything except the current bytes, the meter charges that much; a charge can be too high, but never too low.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

/// The writer searches the whole rest of the text for the next character to escape; a search of this many bytes takes as long as one step.
const SEARCHED_BYTES_PER_STEP: u64 = 64;

pub(super) struct MeterLimits {
    pub work: u64,
    pub tree_bytes: u64,
    pub nodes: u64,
    pub depth: u32,
}

pub(super) type MeteredNode = Rc<MeteredElement>;

/// An element, the document, a comment or a processing instruction.
pub(super) struct MeteredElement {
    name: QualName,
    depth: Cell<u32>,
    attributes: Cell<u64>,
    is_integration_point: bool,
    template: Option<MeteredNode>,
    children: RefCell<Rc<Children>>,
    /// The list of children that contains this node.
    siblings: RefCell<Option<Rc<Children>>>,
}

/// The children of one element. They move to another parent together, so that each child still knows their number.
#[derive(Default)]
struct Children {
    count: Cell<u64>,
    ends_with_text: Cell<bool>,
    /// For the text that is the last child: how many characters to escape came since the last character at which the writer's search stops.
    searching: Cell<u64>,
    /// The same count for texts that are moved before a table. The meter does not know which of them become one text.
    searching_before_table: Cell<u64>,
}

pub(super) struct Meter {
    limits: MeterLimits,
    document: MeteredNode,
    steps: Cell<u64>,
    work: Cell<u64>,
    searched_bytes: Cell<u64>,
    tree_bytes: Cell<u64>,
    nodes: Cell<u64>,
    depth: Cell<u32>,
}

impl Meter {
    pub(super) fn new(limits: MeterLimits) -> Self {
        let document = element(QualName::new(None, ns!(), local_name!("")), 0, ElementFlags::default());
        let [steps, work, searched_bytes, tree_bytes, nodes] = [const { Cell::new(0) }; 5];
        Self { limits, document, steps, work, searched_bytes, tree_bytes, nodes, depth: Cell::new(0) }
    }

    pub(super) fn work(&self, work: u64) {
        add(&self.steps, 1);
        add(&self.work, work);
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(super) fn is_over(&self) -> bool {
        let MeterLimits { work, tree_bytes, nodes, depth } = &self.limits;
        self.work.get() + self.searched_bytes.get() / SEARCHED_BYTES_PER_STEP > *work
            || self.tree_bytes.get() > *tree_bytes
            || self.nodes.get() > *nodes
            || self.depth.get() > *depth
    }

    fn new_node(&self, name: QualName, attributes: u64, flags: ElementFlags) -> MeteredNode {
        self.work(1);
        add(&self.nodes, 1);
        element(name, attributes, flags)
    }

    /// Adds a node to children. The node must have no parent.
    fn put(&self, node: &MeteredNode, children: &Rc<Children>, depth: u32) {
        add(&children.count, 1);
        node.siblings.replace(Some(Rc::clone(children)));
        node.depth.set(depth);
        self.depth.set(self.depth.get().max(depth));
    }

    fn put_text(&self, text: &str, children: &Children, searching: &Cell<u64>, starts: bool) {
        add(&self.tree_bytes, text.len() as u64);
        if starts {
            add(&self.nodes, 1);
            add(&children.count, 1);
        }
        let (searched, pending) = searched_bytes(text, b'<', searching.get());
        add(&self.searched_bytes, searched);
        searching.set(pending);
    }
}

impl TreeSink for Meter {
    type Handle = MeteredNode;
    type Output = ();
    type ElemName<'a> = &'a QualName;

    fn finish(self) {}

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> MeteredNode {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a MeteredNode) -> &'a QualName {
        self.work(1);
        &target.name
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> MeteredNode {
        add(&self.tree_bytes, 2 * name.local.len() as u64);
        let count = attributes.len() as u64;
        for attribute in attributes {
            add(&self.tree_bytes, (attribute.name.local.len() + attribute.value.len()) as u64);
            if !self.is_over() {
                add(&self.searched_bytes, searched_bytes(&attribute.value, b'"', 0).0);
            }
        }
        self.work(count);
        self.new_node(name, count, flags)
    }

    fn create_comment(&self, _text: StrTendril) -> MeteredNode {
        self.new_node(QualName::new(None, ns!(), local_name!("")), 0, ElementFlags::default())
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> MeteredNode {
        self.new_node(QualName::new(None, ns!(), local_name!("")), 0, ElementFlags::default())
    }

    fn append(&self, parent: &MeteredNode, child: NodeOrText<MeteredNode>) {
        self.work(1);
        let children = parent.children.borrow();
        match child {
            NodeOrText::AppendNode(node) => {
                children.ends_with_text.set(false);
                self.put(&node, &children, parent.depth.get() + 1);
            }
            NodeOrText::AppendText(text) => {
                let starts = !children.ends_with_text.replace(true);
                if starts {
                    children.searching.set(0);
                }
                self.put_text(&text, &children, &children.searching, starts);
            }
        }
    }

    /// The cleaner's tree searches for the sibling among the children of its parent, and moves all that follow.
    fn append_before_sibling(&self, sibling: &MeteredNode, child: NodeOrText<MeteredNode>) {
        let Some(children) = sibling.siblings.borrow().clone() else { return };
        self.work(1 + 2 * children.count.get());
        match child {
            NodeOrText::AppendNode(node) => {
                self.remove_from_parent(&node);
                self.put(&node, &children, sibling.depth.get());
            }
            NodeOrText::AppendText(text) => {
                self.put_text(&text, &children, &children.searching_before_table, true);
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &MeteredNode,
        previous: &MeteredNode,
        child: NodeOrText<MeteredNode>,
    ) {
        let has_parent = element.siblings.borrow().is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(previous, child) }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &MeteredNode) -> MeteredNode {
        target.template.clone().unwrap_or_else(|| Rc::clone(target))
    }

    fn same_node(&self, one: &MeteredNode, other: &MeteredNode) -> bool {
        self.work(1);
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    /// The cleaner's tree compares them with all existing attributes.
    fn add_attrs_if_missing(&self, target: &MeteredNode, attributes: Vec<Attribute>) {
        let count = attributes.len() as u64;
        self.work(count + target.attributes.get());
        add(&target.attributes, count);
        let bytes: usize = attributes.iter().map(|attribute| attribute.name.local.len() + attribute.value.len()).sum();
        add(&self.tree_bytes, bytes as u64);
    }

    /// The cleaner's tree searches for the node among the children of its parent, and moves all that follow.
    fn remove_from_parent(&self, target: &MeteredNode) {
        if let Some(children) = target.siblings.take() {
            self.work(1 + 2 * children.count.get());
            children.count.set(children.count.get().saturating_sub(1));
        }
    }

    fn reparent_children(&self, node: &MeteredNode, new_parent: &MeteredNode) {
        let children = node.children.take();
        self.work(1 + children.count.get());
        let before = new_parent.children.replace(Rc::clone(&children));
        add(&children.count, before.count.get());
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &MeteredNode) -> bool {
        node.is_integration_point
    }
}

fn element(name: QualName, attributes: u64, flags: ElementFlags) -> MeteredNode {
    let template = flags.template.then(|| element(name.clone(), 0, ElementFlags::default()));
    Rc::new(MeteredElement {
        name,
        depth: Cell::new(0),
        attributes: Cell::new(attributes),
        is_integration_point: flags.mathml_annotation_xml_integration_point,
        template,
        children: RefCell::default(),
        siblings: RefCell::new(None),
    })
}

/// The number of bytes that the writer's searches pass over, and of searches that are still in progress at the end. A search starts at each `&` and at each
/// byte that may begin a no-break space, and ends at `<`, `>` or `end`.
fn searched_bytes(text: &str, end: u8, searching: u64) -> (u64, u64) {
    text.bytes().fold((0_u64, searching), |(searched, searching), byte| match byte {
        b'<' | b'>' => (searched, 0),
        _ if byte == end => (searched, 0),
        b'&' | 0xC2 => (searched.saturating_add(searching), searching + 1),
        _ => (searched.saturating_add(searching), searching),
    })
}

fn add(cell: &Cell<u64>, more: u64) {
    cell.set(cell.get().saturating_add(more));
}
