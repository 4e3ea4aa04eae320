import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../../scripts/chromium.mjs'
import { root } from '../../scripts/workspace.mjs'
import type { Benchmark, Figures, Row } from './benchmark.ts'

const file = join(root, 'bench/RESULTS.md')
const head = `# Results

Figures of \`npm run bench\` beside the budgets, each part as it was last run. Figures of different
machines do not compare; the shares within one run do.
`

export function print(figures: Figures): void {
  const cells = figures.rows.map((row) => [
    row.name,
    figure(row),
    budgetText(row),
    verdict(row),
    row.note,
  ])
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  )
  for (const line of cells)
    console.log(
      `  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    )
}

/** Replaces one benchmark's part of the results and leaves the others unchanged. */
export function write(benchmark: Benchmark, figures: Figures, all: readonly Benchmark[]): void {
  const parts = new Map(existsSync(file) ? partsOf(readFileSync(file, 'utf8')) : [])
  parts.set(benchmark.title, partText(benchmark, figures))
  const ordered = all.flatMap(({ title }) => parts.get(title) ?? [])
  writeFileSync(file, [head, ...ordered].join('\n'))
}

const partsOf = (text: string): [string, string][] =>
  text
    .split(/^(?=## )/m)
    .slice(1)
    .map((part) => [part.slice(3, part.indexOf('\n')), `${part.trimEnd()}\n`])

function partText({ title, how }: Benchmark, { rows, details }: Figures): string {
  return [
    `## ${title}`,
    '',
    circumstances(),
    '',
    '| | measured | budget | | |',
    '|---|--:|--:|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${figure(row)} | ${budgetText(row)} | ${verdict(row)} | ${row.note} |`,
    ),
    '',
    how,
    '',
    ...(details ? [details, ''] : []),
  ].join('\n')
}

function circumstances(): string {
  const [chromium = 'no browser'] =
    run(findChromium().path, ['--version']).match(/Chrom\S+ [\d.]+/) ?? []
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).trim()
  const isClean = run('git', ['status', '--porcelain', '--', 'apps', 'packages']).trim() === ''
  return [
    new Date().toISOString().slice(0, 10),
    `commit ${commit}${isClean ? '' : ' with changes'}`,
    `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `Node ${process.versions.node}`,
    chromium,
    `load ${(loadavg()[0] ?? 0).toFixed(0)}`,
  ].join(' · ')
}

const run = (command: string, args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const figure = ({ measured, unit }: Row) => `${amount(measured)} ${unit}`.trim()

const amount = (value: number) =>
  Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3)

function budgetText({ budget, unit }: Row): string {
  if (!budget) return ''
  return 'atMost' in budget ? `≤ ${budget.atMost} ${unit}`.trim() : `≥ ${budget.atLeast} ${unit}`
}

function verdict({ ok, budget, measured, unit }: Row): string {
  if (ok === undefined || !budget) return ''
  if (ok) return 'ok'
  const limit = 'atMost' in budget ? budget.atMost : budget.atLeast
  return `missed by ${amount(Math.abs(measured - limit))} ${unit}`.trim()
}
