import type { BenchContext } from './support/bench-context.ts'

/** A figure is within its budget on one side: bytes and times from above, rates from below. */
export type Budget = { atMost: number } | { atLeast: number }

export interface Row {
  name: string
  measured: number
  unit: string
  budget?: Budget
  /** Whether the budget is kept; undefined without one. */
  ok: boolean | undefined
  note: string
}

export interface Figures {
  rows: Row[]
  /** Markdown below the table: what the rows are made of. */
  details?: string
}

export interface Benchmark {
  /** What it is called on the command line. */
  name: string
  title: string
  /** How each figure is measured, for the reader of the results. */
  how: string
  /** Runs only when it is named. */
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
