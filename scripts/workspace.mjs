// Plain JavaScript on Node alone: this runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const leastNode = [20, 19]

// npm, and whatever `node_modules/.bin` links to, uses the first Node on the PATH: from here on that
// is this one, for child processes too.
const ownFolder = dirname(process.execPath)
const path = process.env.PATH ?? ''
if (path.split(delimiter)[0] !== ownFolder)
  process.env.PATH = [ownFolder, ...(path === '' ? [] : [path])].join(delimiter)

/**
 * Ends the process with one sentence.
 * @returns {never}
 */
export function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** Checks Node, and reinstalls the packages of the lock file when it has changed. */
export function prepare() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]))
    fail(`Grove needs Node ${leastNode.join('.')} or newer; this is ${process.versions.node}.`)
  const wanted = hashOf([join(root, 'package-lock.json')])
  const stamp = join(root, 'node_modules', '.grove-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // After `npm ci` everything is installed: a reinstall would remove packages that running programs
  // use.
  if (!isInstalled())
    step('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      hint: 'Check the network and the npm registry setting, then run it again.',
    })
  writeFileSync(stamp, wanted)
}

/** Whether npm has installed what the lock file names, except for packages of other platforms. */
export function isInstalled(folder = root) {
  const [installed, wanted] = ['node_modules/.package-lock.json', 'package-lock.json'].map((name) =>
    existsSync(join(folder, name))
      ? JSON.parse(readFileSync(join(folder, name), 'utf8')).packages
      : undefined,
  )
  if (!installed || !wanted) return false
  const has = ([path, { version, optional }]) =>
    path === '' || (path in installed ? installed[path].version === version : optional === true)
  return Object.entries(wanted).every(has) && Object.keys(installed).every((path) => path in wanted)
}

/** The console's files, with its guides: rebuilt if a source has changed. */
export function build() {
  buildChanged('Building the console', {
    sources: ['package-lock.json', 'apps/console', 'docs', 'packages'],
    target: 'apps/console/dist',
    command: [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'],
    options: { cwd: join(root, 'apps/console'), env: { NODE_ENV: 'production' } },
  })
}

/** The server as a few files, which start much sooner than its sources. */
export function buildServer() {
  buildChanged('Building the server', {
    sources: ['package-lock.json', 'package.json', 'scripts', 'apps/platform', 'packages'],
    target: 'apps/platform/dist',
    command: [join(root, 'scripts/build-server.mjs')],
  })
}

function buildChanged(name, { sources, target, command, options = {} }) {
  const files = sources.flatMap((path) => (extname(path) === '' ? filesBelow(path) : [path]))
  const wanted = hashOf(files.map((file) => join(root, file)))
  const stamp = join(root, target, '.built')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  step(name, process.execPath, command, {
    ...options,
    hint: 'The lines above say what does not compile.',
  })
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

// A young generation of 4 MB per semi-space instead of 16: about 100 MB less for the server and its
// database.
const memoryFlag = '--max-semi-space-size=4'

/** Flags of every process that runs our TypeScript. */
export const nodeFlags = [
  '--conditions=source',
  '--disable-warning=ExperimentalWarning',
  memoryFlag,
]

/** Flags that let this Node run our TypeScript. */
export function typeScriptFlags() {
  const register = new URL('./run-typescript.mjs', import.meta.url).href
  return process.features.typescript ? nodeFlags : [...nodeFlags, '--import', register]
}

/** Runs a TypeScript file in a child process on our terminal, and exits with its status. */
export function runTypeScript(file, args) {
  runNode([...typeScriptFlags(), join(root, file), ...args])
}

/** The arguments for Node to run the built server: stack traces show the lines of the sources. */
export const serverArgs = () => [
  '--enable-source-maps',
  memoryFlag,
  join(root, 'apps/platform/dist/main.js'),
]

/** Runs the built server in the same way. */
export function runServer(args) {
  runNode([...serverArgs(), ...args])
}

function runNode(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: root })
  // The child receives Ctrl-C itself and then stops in an orderly way.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  // npm sends a signal to its shell, which exits without passing it on.
  const shell = process.ppid
  if (process.env.npm_lifecycle_event)
    setInterval(() => process.ppid !== shell && child.kill('SIGTERM'), 500)
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

/** Runs one command, showing a line while it works and its output only if it fails. */
export function step(name, command, args, { hint = '', env = {}, cwd = root } = {}) {
  const started = Date.now()
  process.stdout.write(`${name} … `)
  const result = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && command === 'npm',
  })
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  if (result.status === 0) {
    console.log(`done (${seconds} s)`)
    return result
  }
  console.log('failed')
  console.error(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`)
  fail(`${name} failed. ${hint}`)
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (['node_modules', 'dist'].includes(entry.name) || entry.name.startsWith('.')) return []
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
