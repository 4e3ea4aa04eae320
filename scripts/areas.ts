// Writes the figures of Maple's areas into ARCHITECTURE.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blocksOf, filesThatReach, importGraph, type ImportGraph } from './import-graph.ts'
import { mapleAreas } from './platform-walls.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const sides = {
  contract: 'packages/contract/src/maple',
  server: 'apps/platform/src/services/maple',
  console: 'apps/console/src/features/maple',
} as const
const folders = ['packages', 'apps/platform/src', 'apps/console/src']

/** Where all areas meet: a test that starts all of Maple does not depend on each of its parts. */
const meeting = ['index', 'jobs', 'gateway'].map((name) => `${sides.server}/${name}.ts`)

const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const isSource = (file: string) => !isTest(file) && !file.includes('/testing/')

export interface AreaFigures {
  area: string
  /** Lines of source on each side. */
  lines: Record<keyof typeof sides, number>
  /** Areas whose files its service imports. */
  imports: string[]
  /** Test files that load a file of its service in another way than by starting all of Maple. */
  tests: number
}

export interface Figures {
  areas: AreaFigures[]
  /** Strongly connected folders of the server: the largest block, and those that cross areas. */
  largestBlock: string[]
  crossing: string[][]
}

export function figuresOf(graph: ImportGraph): Figures {
  const files = [...graph.keys()]
  const areaOf = (file: string) =>
    mapleAreas.find((area) => file.startsWith(`${sides.server}/${area}/`))
  const folderOf = (file: string) => {
    const area = areaOf(file)
    const [folder = ''] = file.slice(`${sides.server}/${area}/`.length).split('/')
    return area && `${area}/${folder}`
  }
  const server = files.filter((file) => areaOf(file) !== undefined && isSource(file))
  const between = (nameOf: (file: string) => string | undefined) => {
    const edges = new Map<string, Set<string>>()
    for (const file of server) {
      const from = nameOf(file) ?? ''
      const reached = (graph.get(file) ?? []).flatMap((to) => nameOf(to) ?? [])
      edges.set(from, new Set([...(edges.get(from) ?? []), ...reached.filter((to) => to !== from)]))
    }
    return edges
  }
  const blocks = blocksOf(between(folderOf))
  const areas = between(areaOf)
  return {
    areas: mapleAreas.map((area) => {
      const own = files.filter((file) => areaOf(file) === area)
      const reached = filesThatReach(graph, new Set(own.filter(isSource)), new Set(meeting))
      return {
        area,
        lines: Object.fromEntries(
          Object.entries(sides).map(([side, folder]) => [
            side,
            linesOf(files.filter((file) => file.startsWith(`${folder}/${area}/`))),
          ]),
        ) as AreaFigures['lines'],
        imports: [...(areas.get(area) ?? [])].toSorted((a, b) => orderOf(a) - orderOf(b)),
        tests: new Set([...reached, ...own].filter(isTest)).size,
      }
    }),
    largestBlock: blocks[0] ?? [],
    crossing: blocks.filter(
      (block) => new Set(block.map((folder) => folder.split('/')[0])).size > 1,
    ),
  }
}

const orderOf = (area: string) => mapleAreas.findIndex((each) => each === area)
const linesOf = (files: readonly string[]) =>
  files
    .filter(isSource)
    .reduce((sum, file) => sum + readFileSync(root + file, 'utf8').split('\n').length - 1, 0)

const table = ({ areas, largestBlock }: Figures, tests: number) =>
  [
    '| Area | contract | server | console | its server imports | tests that load it |',
    '|---|--:|--:|--:|---|--:|',
    ...areas.map(
      ({ area, lines, imports, tests: reached }) =>
        `| ${area} | ${lines.contract} | ${lines.server} | ${lines.console} | ${imports.join(', ') || '–'} | ${reached} |`,
    ),
    '',
    `Lines of source, and test files of ${tests}. The largest block of folders that import each other has ${largestBlock.length}: ${largestBlock.join(', ')}. None crosses areas.`,
  ].join('\n')

const start = '<!-- areas: npm run areas -->'
const end = '<!-- end of areas -->'

/** ARCHITECTURE.md with the current figures. */
export function withFigures(text: string): string {
  const graph = importGraph(root, folders)
  const tests = [...graph.keys()].filter(isTest).length
  const [before = '', rest = ''] = text.split(start)
  const [, after = ''] = rest.split(end)
  return `${before}${start}\n${table(figuresOf(graph), tests)}\n${end}${after}`
}

export const architecture = `${root}ARCHITECTURE.md`
export const graphOfAll = () => importGraph(root, folders)

if (import.meta.filename === process.argv[1])
  writeFileSync(architecture, withFigures(readFileSync(architecture, 'utf8')))
