// Finds a browser for the tests and the benchmarks: an installed one, else Playwright's, else
// Debian's. The tests use Chromium's headless shell if there is one: it renders the same pages with
// 60 % of the CPU time.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { isDebiansToChange, unattended } from './debian.mjs'
import { fail, root, step } from './workspace.mjs'

const shells = ['chromium-headless-shell', 'chrome-headless-shell', 'chrome-headless-shell.exe']
const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'Google Chrome',
  'Chromium',
  'chrome.exe',
]
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
  'C:\\Program Files\\Google\\Chrome\\Application',
]

/** The path and name of a browser; installs one if there is none. */
export function findChromium() {
  return (
    chosen() ??
    installed(names) ??
    playwrights() ??
    debians('chromium', names) ??
    fail(
      'No Chromium was found and none could be installed. Install Chromium or Chrome, or set GROVE_CHROMIUM to its path.',
    )
  )
}

/** The cheapest browser for the tests; an installed full Chromium also works. */
export const findTestBrowser = () =>
  chosen() ?? installed(shells) ?? playwrightsShell() ?? debiansShell() ?? findChromium()

function chosen() {
  const path = process.env.GROVE_CHROMIUM
  return path ? { path, name: `${path} (GROVE_CHROMIUM)` } : undefined
}

function installed(wanted) {
  for (const folder of folders)
    for (const name of wanted) {
      const path = join(folder, name)
      if (existsSync(path)) return { path, name: `${path} (installed)` }
    }
  return undefined
}

const playwright = createRequire(join(root, 'e2e/package.json'))
const playwrightsPath = () => playwright('@playwright/test').chromium.executablePath()

function playwrights() {
  if (!existsSync(playwrightsPath())) {
    console.log('Downloading Playwright’s Chromium …')
    spawnSync(
      process.execPath,
      [playwright.resolve('@playwright/test/cli'), 'install', 'chromium'],
      { cwd: root, stdio: 'ignore', timeout: 300_000 },
    )
  }
  const path = playwrightsPath()
  return existsSync(path) ? { path, name: `${path} (Playwright’s)` } : undefined
}

/** Next to Playwright's Chromium, in a folder of the same version. */
function playwrightsShell() {
  const whole = dirname(dirname(playwrightsPath()))
  const folder = whole.replace(/chromium-(\d+)$/, 'chromium_headless_shell-$1')
  if (folder === whole || !existsSync(folder)) return undefined
  const path = readdirSync(folder)
    .flatMap((inner) => shells.map((name) => join(folder, inner, name)))
    .find((each) => existsSync(each))
  return path && { path, name: `${path} (Playwright’s)` }
}

function debians(wanted, found) {
  if (!isDebiansToChange()) return undefined
  const hint = 'Install Chromium or Chrome, or set GROVE_CHROMIUM to its path.'
  const options = { hint, env: unattended }
  step('Reading Debian’s package list', 'apt-get', ['update', '-q'], options)
  step(
    `Installing Debian’s ${wanted}`,
    'apt-get',
    ['install', '-qy', '--no-install-recommends', wanted],
    options,
  )
  return installed(found)
}

/** Debian's shell in the version of its Chromium, which stays unchanged; undefined without one. */
function debiansShell() {
  if (!isDebiansToChange()) return undefined
  const run = (command, ...args) =>
    spawnSync(command, args, {
      env: { ...process.env, ...unattended },
      encoding: 'utf8',
      timeout: 120_000,
    })
  const { stdout, status } = run('dpkg-query', '-W', '-f=${Version}', 'chromium-common')
  // Without a Chromium, any version will do.
  const wanted = status === 0 && stdout ? `${shells[0]}=${stdout}` : shells[0]
  const install = () => run('apt-get', 'install', '-qy', '--no-install-recommends', wanted)
  console.log(`Installing Debian’s ${shells[0]} …`)
  if (install().status !== 0) {
    run('apt-get', 'update', '-q')
    install()
  }
  return installed(shells)
}
