// The kinds of storage requests, as the panel names and draws them. The rule: a kind differs from the others in colour and in form.

export const KINDS = {
  POINT: { name: "point", label: "Point read" },
  RANGE: { name: "range", label: "Range read" },
  TRANSACTION: { name: "transaction", label: "Transaction" },
};

/** A change in a file is one transaction over all its tables. */
export const tableOf = ({ table }) => (table === "*" ? "all tables" : table);

export const kindOf = ({ kind }) => KINDS[kind] ?? { name: "point", label: kind };
