// Prints, as JSON, the tests that a change can break: `node scripts/run.mjs scripts/changed.ts
// [ref]`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow, filesThatReach, importGraph, type ImportGraph } from './import-graph.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Test files and scenarios, as paths from the root; null for all of them. */
export interface Chosen {
  tests: string[] | null
  scenarios: string[] | null
}

const all: Chosen = { tests: null, scenarios: null }

/** A test that starts a whole service does not depend on each of its parts. */
const meeting =
  /^apps\/platform\/src\/(services(\/\w+\/(index|jobs|gateway))?|main)\.ts$|^apps\/console\/src\/(routeTree\.gen|main|app\/.*)\.tsx?$/
/** Files that affect every test, or affect tests in ways that no import shows. */
const everything =
  /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|\.ci\/)|^apps\/[^/]+\/(package\.json|vite(st)?\.config\.ts|build\/)|^packages\/[^/]+\/package\.json$/
const everyScenario =
  /^e2e\/(support\/|(pages\/)?playwright\.config)|^apps\/console\/src\/(shell|session|ui|app|styles)\/|^apps\/platform\/src\/core\//
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const isSource = (file: string) => /\.tsx?$/.test(file)

/** The tests that load a changed file, and the scenarios of the pages that show it. */
export function chooseTests(
  graph: ImportGraph,
  scenarios: ReadonlyMap<string, string>,
  changed: readonly string[],
): Chosen {
  if (changed.some((file) => everything.test(file))) return all
  const targets = changed.flatMap(loadedFor)
  const cut = new Set([...graph.keys()].filter((file) => meeting.test(file)))
  const reached = filesThatReach(graph, new Set(targets), cut)
  // Texts, documents and the scripts themselves are covered by the house tests and the tests of
  // texts.
  const always = [...graph.keys()].filter((file) => /^scripts\/|\/locales\//.test(file))
  const beside = changed.flatMap(folderOf)
  const own = [...graph.keys()].filter((file) => beside.some((folder) => file.startsWith(folder)))
  // A deleted file is in no graph.
  const tests = new Set(
    [...reached, ...own, ...always].filter((file) => isTest(file) && graph.has(file)),
  )
  return {
    tests: [...tests].toSorted(),
    scenarios: changed.some((file) => everyScenario.test(file))
      ? null
      : scenariosFor(graph, scenarios, { changed, reached }),
  }
}

/**
 * The folder of the resource that a service or contract file belongs to: its tests may start all of
 * the service and import nothing.
 */
function folderOf(file: string): string[] {
  const services = 'apps/platform/src/services'
  const [, resource] =
    /^apps\/platform\/src\/services\/(maple\/\w+\/[\w-]+|\w+\/[\w-]+)[/.]/.exec(file) ??
    /^packages\/contract\/src\/(maple\/\w+\/[\w-]+|\w+\/[\w-]+)\./.exec(file) ??
    []
  // The area of rollouts is one resource.
  const folder = resource?.replace(/^maple\/rollout\/.*$/, 'maple/rollout')
  return folder === undefined ? [] : [`${services}/${folder}/`]
}

/** What to run for a file that nothing imports. */
function loadedFor(file: string): string[] {
  const service = /^(apps\/platform\/src\/services\/\w+)\/.*\.(sql|md)$/.exec(file)
  if (service && file.endsWith('.sql')) return [`${service[1]}/index.ts`]
  const styled = /^(.*)\.module\.css$/.exec(file)
  if (styled) return [file, `${styled[1]}.tsx`]
  return isSource(file) ? [file] : []
}

/** The changed scenarios, and those that open a page that shows something changed. */
function scenariosFor(
  graph: ImportGraph,
  scenarios: ReadonlyMap<string, string>,
  { changed, reached }: { changed: readonly string[]; reached: ReadonlySet<string> },
): string[] {
  // The effects of a resource's service are seen on that resource's pages.
  const features = changed
    .flatMap(folderOf)
    .map((folder) => folder.replace('apps/platform/src/services', 'apps/console/src/features'))
  const pages = [...graph.keys()].filter((file) =>
    features.some((folder) => file.startsWith(folder)),
  )
  const shown = filesThatReach(graph, new Set(pages))
  const addresses = [...reached, ...shown].flatMap(addressOf)
  return [...scenarios]
    .filter(
      ([file, text]) => changed.includes(file) || addresses.some((address) => address.test(text)),
    )
    .map(([file]) => file)
    .toSorted()
}

/** A page's URL as scenarios write it; with parameters, the part before the first. */
function addressOf(file: string): RegExp[] {
  const route = /^apps\/console\/src\/routes\/_app\/(.*)\.tsx$/.exec(file)?.[1]
  if (route === undefined) return []
  const path = `/${route}`.replace(/\/index$/, '').replaceAll('_/', '/')
  const [before = '', ...parameters] = path.split('/$')
  if (before === '') return []
  return [new RegExp(`${before}(?![\\w-]${parameters.length > 0 ? '' : '|/'})`)]
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Files that differ from a commit, including uncommitted and untracked ones. */
export function changedSince(ref: string): string[] {
  const [base = ref] = git('merge-base', ref, 'HEAD')
  return [
    ...new Set([
      ...git('diff', '--name-only', '--no-renames', base),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]),
  ]
}

if (import.meta.filename === process.argv[1]) {
  const [ref = 'HEAD'] = process.argv.slice(2)
  const folders = ['packages', 'apps', 'scripts', 'e2e', 'bench']
  const graph = importGraph(root, folders)
  const specs = filesBelow(root, 'e2e').filter((file) => file.endsWith('.spec.ts'))
  // Many scenarios have their URLs in a file about a page.
  const textOf = (spec: string) =>
    [spec, ...(graph.get(spec) ?? []).filter((file) => /-pages?\.ts$/.test(file))]
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
  const scenarios = new Map(specs.map((spec) => [spec, textOf(spec)]))
  console.log(JSON.stringify(chooseTests(graph, scenarios, changedSince(ref))))
}
