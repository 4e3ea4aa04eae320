/** A name that programs of a page have, for completion. */
export interface CodeName {
  name: string
  /** The value that it is a property of. */
  of?: string
  /** The property whose text it can be, as in `kind: 'MplSelect'`. */
  inQuotesOf?: string
  signature?: string
  text?: string
  type?: 'function' | 'constant' | 'property'
}

/** What is wrong where, counted from 1. */
export interface CodeProblem {
  line: number
  column?: number | null | undefined
  message: string
}
