//! The allowed elements and attributes of a drawing. The rule: an unlisted element is omitted with its content: scripts, foreign content, fonts, event
//! handlers, `xml:base`, and the data of drawing programs.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Elements,
    Text,
    TextAndElements,
    /// Text is kept only inside a text element.
    AsParent,
    /// A style sheet.
    Sheet,
}

impl Content {
    pub(super) fn has_elements(self) -> bool {
        !matches!(self, Self::Text | Self::Sheet)
    }

    pub(super) fn within(self, parent: Self) -> Self {
        if self == Self::AsParent { parent } else { self }
    }
}

/// The allowed contents of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Any value, because it is a name or a text.
    Text,
    /// A value that loads nothing.
    Drawn,
    Declarations,
    /// The name of an attribute that can be animated.
    Animated,
}

const ELEMENTS: &str = "\
    svg g defs symbol use image switch path rect circle ellipse line polyline polygon linearGradient radialGradient stop \
    pattern clipPath mask marker filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix \
    feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur \
    feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence animate \
    animateMotion animateTransform mpath set";
const WITH_TEXT: &str = "text tspan textPath";

/// Attributes that are also CSS properties, and the other properties that drawings and animations use.
const PROPERTIES: &str = "\
    alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters \
    color-rendering cursor direction display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity \
    font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch font-style font-variant \
    font-variation-settings font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation \
    letter-spacing lighting-color line-height marker marker-end marker-mid marker-start mask mask-type mix-blend-mode \
    opacity overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray \
    stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align text-anchor \
    text-decoration text-overflow text-rendering transform transform-box transform-origin unicode-bidi vector-effect \
    visibility white-space word-spacing writing-mode cx cy d height r rx ry width x y";
const ONLY_PROPERTIES: &str = "\
    animation animation-delay animation-direction animation-duration animation-fill-mode animation-iteration-count \
    animation-name animation-play-state animation-timing-function background background-color color-scheme enable-background \
    offset-distance offset-path offset-rotate perspective rotate scale text-shadow transform-style transition \
    transition-delay transition-duration transition-property transition-timing-function translate will-change";
/// Positions, and the numbers of filters.
const PLACES: &str = "\
    amplitude azimuth baseFrequency bias clipPathUnits diffuseConstant divisor dx dy edgeMode elevation exponent \
    filterUnits fr fx fy gradientTransform gradientUnits in in2 intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength \
    lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits method mode numOctaves \
    offset operator order orient pathLength patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY \
    pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits radius refX refY result rotate scale seed side slope spacing \
    specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale tableValues targetX \
    targetY textLength type values viewBox x1 x2 xChannelSelector y1 y2 yChannelSelector z";
/// Times and values of animations, and conditions.
const ANIMATION: &str = "\
    accumulate additive attributeType begin by calcMode dur end from keyPoints keySplines keyTimes max media min path repeatCount \
    repeatDur requiredExtensions requiredFeatures restart systemLanguage to";
const TEXTS: &str = "\
    aria-describedby aria-hidden aria-label aria-labelledby aria-roledescription class id lang role";

static KNOWN_ELEMENTS: LazyLock<HashMap<&str, Content>> = LazyLock::new(|| {
    let others =
        [("a", Content::AsParent), ("desc", Content::Text), ("title", Content::Text), ("style", Content::Sheet)];
    let of = |names: &'static str, content| names.split_whitespace().map(move |name| (name, content));
    of(ELEMENTS, Content::Elements).chain(of(WITH_TEXT, Content::TextAndElements)).chain(others).collect()
});

static KNOWN_ATTRIBUTES: LazyLock<HashMap<&str, Value>> = LazyLock::new(|| {
    let others = [("style", Value::Declarations), ("attributeName", Value::Animated)];
    let of = |names: &'static str, value| names.split_whitespace().map(move |name| (name, value));
    let drawn = [PROPERTIES, PLACES, ANIMATION].into_iter().flat_map(|names| of(names, Value::Drawn));
    drawn.chain(of(TEXTS, Value::Text)).chain(others).collect()
});

static KNOWN_PROPERTIES: LazyLock<HashSet<&str>> = LazyLock::new(|| names_of(&[PROPERTIES, ONLY_PROPERTIES]));
static CAN_BE_ANIMATED: LazyLock<HashSet<&str>> = LazyLock::new(|| names_of(&[PROPERTIES, PLACES]));

fn names_of(lists: &[&'static str]) -> HashSet<&'static str> {
    lists.iter().flat_map(|names| names.split_whitespace()).collect()
}

pub(super) fn element(name: &str) -> Option<(&'static str, Content)> {
    KNOWN_ELEMENTS.get_key_value(name).map(|(name, content)| (*name, *content))
}

pub(super) fn attribute(name: &str) -> Option<(&'static str, Value)> {
    KNOWN_ATTRIBUTES.get_key_value(name).map(|(name, value)| (*name, *value))
}

/// Whether a CSS property is allowed. Custom properties begin with `--`.
pub(super) fn is_property(name: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'));
    KNOWN_PROPERTIES.contains(name) || name.strip_prefix("--").is_some_and(|rest| !rest.is_empty() && is_name(rest))
}

pub(super) fn can_be_animated(name: &str) -> bool {
    CAN_BE_ANIMATED.contains(name)
}
