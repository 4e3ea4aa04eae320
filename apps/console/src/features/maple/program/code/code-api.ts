/** A name available to a page's programs, for completion. */
export interface CodeName {
  name: string
  /** The object that it is a property of. */
  of?: string
  /** The property whose text it may be, as in `kind: 'MplSelect'`. */
  inQuotesOf?: string
  signature?: string
  text?: string
  type?: 'function' | 'constant' | 'property'
}

/** An error and its position, counted from 1. */
export interface CodeProblem {
  line: number
  column?: number | null | undefined
  message: string
}
