import type { BenchContext } from './support/bench-context.ts'

/** The direction of a budget: a maximum for bytes and times, a minimum for rates. */
export type Budget = { atMost: number } | { atLeast: number }

export interface Row {
  name: string
  measured: number
  unit: string
  budget?: Budget
  /** Whether the budget is met; undefined without one. */
  ok: boolean | undefined
  note: string
}

export interface Figures {
  rows: Row[]
  /** Markdown below the table: what the rows consist of. */
  details?: string
}

export interface Benchmark {
  /** Its name on the command line. */
  name: string
  title: string
  /** How each figure is measured, for the reader of the results. */
  how: string
  /** Runs only if named. */
  isLong?: true
  run: (bench: BenchContext) => Promise<Figures>
}

/** A row, judged by its budget. */
export function row(
  name: string,
  measured: number,
  unit: string,
  { budget, note = '' }: { budget?: Budget | undefined; note?: string } = {},
): Row {
  if (!Number.isFinite(measured)) throw new Error(`"${name}" was not measured.`)
  return {
    name,
    measured,
    unit,
    ...(budget && { budget }),
    ok: budget && keeps(measured, budget),
    note,
  }
}

const keeps = (measured: number, budget: Budget) =>
  'atMost' in budget ? measured <= budget.atMost : measured >= budget.atLeast
