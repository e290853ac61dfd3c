// Makes documents at random from the schema in the file of the first argument, valid and broken ones, and prints what graphql-js says of each: one JSON
// object a line, with the document, its variables, and the messages of the errors. The second argument is how many, the third the seed.
"use strict";

const { readFileSync } = require("node:fs");
const graphql = require("graphql");

const schema = graphql.buildSchema(readFileSync(process.argv[2], "utf8"));
const count = Number(process.argv[3]);
let state = Number(process.argv[4]);

// The scalar of the schema that refuses values. The generator writes only texts of which both sides say the same.
const readTime = (value) => {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) throw new TypeError("not a time");
  return value;
};
const time = schema.getType("DateTime");
time.parseValue = readTime;
time.parseLiteral = (node) => readTime(node.kind === graphql.Kind.STRING ? node.value : undefined);

// mulberry32
const random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
const below = (bound) => Math.floor(random() * bound);
const pick = (list) => list[below(list.length)];
const chance = (percent) => random() * 100 < percent;

const composites = Object.values(schema.getTypeMap()).filter(
  (type) => graphql.isCompositeType(type) && !type.name.startsWith("__"),
);
const inputs = Object.values(schema.getTypeMap()).filter(
  (type) => graphql.isInputType(type) && !type.name.startsWith("__"),
);

class Generator {
  constructor() {
    // In percent, at each place where something can be broken; half of the documents are not broken at all.
    this.broken = chance(50) ? 0 : pick([1, 3, 8]);
    this.fragments = [];
    this.budget = 60;
  }

  breaks(percent = 100) {
    return chance((this.broken * percent) / 100);
  }

  document() {
    for (let number = below(4); number > 0; number -= 1) {
      this.fragments.push({ name: `F${number}`, on: pick(composites), used: false, variables: new Map() });
    }
    const kinds = chance(25) ? ["mutation"] : ["query"];
    if (chance(8)) kinds.push("query");
    const operations = kinds.map((kind, index) => this.operation(kind, kinds.length > 1 ? `Op${index}` : pick(["", "Op"])));
    const fragments = this.bodies();
    const texts = operations.map((operation) => this.head(operation));
    return { text: [...texts, ...fragments].join("\n"), variables: this.values(operations[0]), name: operations[0].name };
  }

  operation(kind, name) {
    const root = kind === "mutation" ? schema.getMutationType() : schema.getQueryType();
    this.variables = new Map();
    const spread = new Set();
    this.spread = spread;
    const body = this.selection(root, 0);
    return { kind, name, body, variables: this.variables, spread };
  }

  // The fragments that are spread, whose variables those of the operations have to define.
  bodies() {
    const texts = [];
    for (const fragment of this.fragments) {
      if (!fragment.used && !this.breaks(300)) continue;
      this.variables = fragment.variables;
      this.spread = fragment.spread = new Set();
      // Later fragments only, so that none spreads itself.
      this.after = fragment;
      const on = this.breaks() ? pick(["Nothing", "String", "PostFilter"]) : fragment.on.name;
      texts.push(`fragment ${fragment.name} on ${on}${this.directives("FRAGMENT_DEFINITION")} ${this.selection(fragment.on, 2)}`);
    }
    return texts;
  }

  reached(operation) {
    const all = new Map(operation.variables);
    const left = [...operation.spread];
    const seen = new Set();
    while (left.length > 0) {
      const fragment = left.pop();
      if (seen.has(fragment)) continue;
      seen.add(fragment);
      for (const [name, variable] of fragment.variables) all.set(name, variable);
      left.push(...(fragment.spread ?? []));
    }
    return all;
  }

  head(operation) {
    operation.all = this.reached(operation);
    const definitions = [...operation.all].filter(() => !this.breaks()).map(([name, variable]) => {
      const type = this.breaks(200) ? pick(inputs).toString() : variable.type;
      const given = variable.fallback === undefined ? "" : ` = ${variable.fallback}`;
      const directive = this.breaks(50) ? " @include(if: true)" : "";
      return `$${name}: ${type}${directive}${given}`;
    });
    if (this.breaks()) definitions.push("$unused: Int");
    if (this.breaks() && definitions.length > 0) definitions.push(definitions[0]);
    const listed = definitions.length > 0 ? `(${definitions.join(", ")})` : "";
    if (listed === "" && operation.name === "" && operation.kind === "query" && chance(50)) return operation.body;
    return `${operation.kind} ${operation.name}${listed}${this.directives(operation.kind.toUpperCase())} ${operation.body}`;
  }

  selection(type, depth) {
    const selections = [];
    for (let number = 1 + below(3); number > 0; number -= 1) selections.push(this.selected(type, depth));
    return `{ ${selections.join(" ")} }`;
  }

  selected(type, depth) {
    this.budget -= 1;
    if (depth > 0 && this.budget > 0 && chance(15)) {
      const on = this.breaks(300) ? pick(composites) : this.overlapping(type);
      const condition = chance(10) ? "" : ` on ${this.breaks() ? pick(["Nothing", "Int"]) : on.name}`;
      return `...${condition}${this.directives("INLINE_FRAGMENT")} ${this.selection(condition === "" ? type : on, depth)}`;
    }
    if (chance(15)) {
      const start = this.after === undefined ? 0 : this.fragments.indexOf(this.after) + 1;
      const fitting = this.fragments.slice(start).filter((one) => this.breaks(300) || graphql.doTypesOverlap(schema, one.on, type));
      if (this.breaks()) return "...Nothing";
      if (fitting.length > 0) {
        const fragment = pick(fitting);
        fragment.used = true;
        this.spread.add(fragment);
        return `...${fragment.name}${this.directives("FRAGMENT_SPREAD")}`;
      }
    }
    return this.field(type, depth);
  }

  overlapping(type) {
    return pick(composites.filter((other) => graphql.doTypesOverlap(schema, other, type)));
  }

  field(type, depth) {
    const fields = Object.values(type.getFields?.() ?? {});
    if (fields.length === 0 || chance(5)) return `${chance(20) ? "x: " : ""}__typename`;
    if (this.breaks()) return pick(["nothing", "titel", "id2 { id }"]);
    const simple = fields.filter((field) => graphql.isLeafType(graphql.getNamedType(field.type)));
    const field = (depth > 4 || this.budget < 0) && simple.length > 0 ? pick(simple) : pick(fields);
    const named = graphql.getNamedType(field.type);
    if (depth > 6 && !graphql.isLeafType(named)) return "__typename";
    // Few keys, so that they meet.
    const alias = chance(20) ? `${pick(["x", "y", "z", "id", "slug"])}: ` : "";
    const leaf = graphql.isLeafType(named) !== this.breaks(50);
    const inside = leaf ? "" : ` ${this.selection(graphql.isLeafType(named) ? schema.getType("Post") : named, depth + 1)}`;
    return `${alias}${field.name}${this.args(field)}${this.directives("FIELD")}${inside}`;
  }

  args(field) {
    const given = [];
    for (const arg of field.args) {
      const required = graphql.isRequiredArgument(arg);
      // Two ends of a page are refused by the resolver.
      if (["last", "before", "after"].includes(arg.name)) continue;
      if (required ? this.breaks() : !chance(arg.name === "first" ? 50 : 30)) continue;
      given.push(`${arg.name}: ${this.value(arg.type, 0, arg.defaultValue !== undefined)}`);
    }
    if (this.breaks()) given.push("nothing: 1");
    if (this.breaks() && given.length > 0) given.push(given[0]);
    return given.length > 0 ? `(${given.join(", ")})` : "";
  }

  directives(location) {
    if (chance(4)) {
      const operation = location === "QUERY" || location === "MUTATION" || location === "FRAGMENT_DEFINITION";
      if (!operation || this.breaks(500)) {
        const value = operation ? "true" : this.value(new graphql.GraphQLNonNull(graphql.GraphQLBoolean), 0, false);
        const argument = this.breaks(200) ? pick(["", "(if: 1)", "(iff: true)", "(if: null)"]) : `(if: ${value})`;
        const one = ` @${pick(["include", "skip"])}${argument}`;
        return this.breaks(200) ? one + one : one;
      }
    }
    return this.breaks(20) ? pick([" @nothing", " @specifiedBy(url: \"x\")", " @listSize"]) : "";
  }

  // A literal, or a variable that is noted.
  value(type, depth, hasDefault) {
    if (this.broken > 0 && this.breaks()) return pick(["5", "-1.5", "\"x\"", "ABC", "true", "null", "[]", "{}", "[[1]]", "{ a: 1 }", "3000000000"]);
    if (this.variables !== undefined && chance(18) && depth < 3) return this.variable(type, hasDefault);
    return this.literal(type, depth);
  }

  variable(type, hasDefault) {
    const known = [...this.variables].find(([, variable]) => variable.of === type.toString());
    if (known !== undefined && chance(50)) return `$${known[0]}`;
    // Fragments and operations have names of their own, so that one name has one type.
    const name = this.breaks(100) ? "shared" : `v${(this.number = (this.number ?? 0) + 1)}`;
    const variable = { of: type.toString(), type: type.toString() };
    const outer = graphql.isNonNullType(type) ? type.ofType : type;
    if (chance(30)) variable.fallback = this.constant(() => this.literal(outer, 1));
    if (graphql.isNonNullType(type) && (hasDefault || variable.fallback !== undefined || this.breaks(300))) {
      if (chance(60)) variable.type = outer.toString();
    } else if (!graphql.isNonNullType(type) && chance(40)) variable.type = `${type}!`;
    else if (this.breaks(300) && graphql.isListType(outer)) variable.type = outer.ofType.toString();
    variable.given = type;
    this.variables.set(name, variable);
    return `$${name}`;
  }

  constant(make) {
    const variables = this.variables;
    this.variables = undefined;
    const made = make();
    this.variables = variables;
    return made;
  }

  literal(type, depth) {
    if (graphql.isNonNullType(type)) return this.literal(type.ofType, depth);
    if (chance(4) && depth > 0) return this.breaks() ? "null" : this.plain(type, depth);
    return this.plain(type, depth);
  }

  plain(type, depth) {
    if (graphql.isListType(type)) {
      if (chance(15)) return this.value(type.ofType, depth + 1, false);
      return `[${Array.from({ length: below(3) }, () => this.value(type.ofType, depth + 1, false)).join(", ")}]`;
    }
    if (graphql.isEnumType(type)) {
      const value = pick(type.getValues()).name;
      return this.breaks(300) ? pick([`"${value}"`, `${value}S`, "1"]) : value;
    }
    if (graphql.isInputObjectType(type)) return this.object(type, depth);
    return this.scalar(type.name);
  }

  scalar(name) {
    switch (name) {
      case "Int": return this.breaks(200) ? pick(["2147483648", "1.5", "\"1\""]) : String(1 + below(9));
      case "Float": return pick(["0.5", "1", "0.25"]);
      case "Boolean": return pick(["true", "false"]);
      case "ID": return pick(["\"x\"", "\"post-000000000001\"", "7"]);
      case "DateTime": return this.breaks(300) ? pick(["\"tomorrow\"", "5", "NOW"]) : "\"2026-01-02T03:04:05Z\"";
      case "JSON": return pick(["{ a: [1, \"x\"] }", "1", "[]"]);
      default: return pick(["\"a\"", "\"b \\n \\u00e9\"", "\"\\u{1F600}\"", "\"\\uD83D\\uDE00\"", "\"\"\"block \" text\"\"\""]);
    }
  }

  object(type, depth) {
    const given = [];
    for (const field of Object.values(type.getFields())) {
      const required = graphql.isRequiredInputField(field);
      if (required ? this.breaks() : !chance(depth > 2 ? 5 : 25)) continue;
      given.push(`${field.name}: ${this.value(field.type, depth + 1, field.defaultValue !== undefined)}`);
    }
    if (this.breaks()) given.push("nothing: 1");
    if (this.breaks(300) && given.length > 0) given.push(pick(given));
    return `{ ${given.join(", ")} }`;
  }

  values(operation) {
    const values = {};
    this.variables = undefined;
    for (const [name, variable] of operation.all) {
      const required = variable.type.endsWith("!") && variable.fallback === undefined;
      if (required || chance(60)) values[name] = this.json(variable.given, 0);
    }
    return values;
  }

  // A value of a variable.
  json(type, depth) {
    if (this.breaks(200)) return pick([5, 1.5, "x", true, null, [], {}, { a: 1 }, 3000000000, [[1]]]);
    if (graphql.isNonNullType(type)) return this.json(type.ofType, depth);
    if (graphql.isListType(type)) return chance(15) ? this.json(type.ofType, depth + 1) : [this.json(type.ofType, depth + 1)];
    if (graphql.isEnumType(type)) return pick(type.getValues()).name;
    if (graphql.isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => graphql.isRequiredInputField(field) || chance(20));
      return Object.fromEntries(fields.map((field) => [field.name, this.json(field.type, depth + 1)]));
    }
    const scalars = { Int: 3, Float: 0.5, Boolean: true, ID: pick(["x", 7]), DateTime: "2026-01-02T03:04:05Z", JSON: { a: [1] } };
    return scalars[type.name] ?? "a";
  }
}

const errorsOf = ({ text, variables, name }) => {
  let document;
  try {
    document = graphql.parse(text);
  } catch (error) {
    return [error.message];
  }
  const errors = graphql.validate(schema, document, graphql.specifiedRules, { maxErrors: 5 });
  if (errors.length > 0) return errors.map((error) => error.message);
  const operation = graphql.getOperationAST(document, name === "" ? undefined : name);
  const { errors: wrong } = graphql.getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 });
  return (wrong ?? []).map((error) => error.message);
};

for (let number = 0; number < count; number += 1) {
  const made = new Generator().document();
  console.log(JSON.stringify({ ...made, errors: errorsOf(made) }));
}
