// Finds a browser for the tests: an installed one, else Playwright's, else Debian's.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fail, root, step } from './workspace.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
  'C:\\Program Files\\Google\\Chrome\\Application',
]

/** The path of a browser and the words to name it by; installs one when there is none. */
export function findChromium() {
  const chosen = process.env.GROVE_CHROMIUM
  if (chosen) return { path: chosen, name: `${chosen} (GROVE_CHROMIUM)` }
  return (
    installed() ??
    playwrights() ??
    debians() ??
    fail(
      'No Chromium was found and none could be installed. Install Chromium or Chrome, or set GROVE_CHROMIUM to its path.',
    )
  )
}

function installed() {
  for (const folder of folders)
    for (const name of [...names, 'Google Chrome', 'Chromium', 'chrome.exe']) {
      const path = join(folder, name)
      if (existsSync(path)) return { path, name: `${path} (installed)` }
    }
  return undefined
}

function playwrights() {
  const require = createRequire(join(root, 'e2e/package.json'))
  const path = () => require('@playwright/test').chromium.executablePath()
  if (!existsSync(path())) {
    console.log('Downloading Playwright’s Chromium …')
    spawnSync(process.execPath, [require.resolve('@playwright/test/cli'), 'install', 'chromium'], {
      cwd: root,
      stdio: 'ignore',
      timeout: 300_000,
    })
  }
  return existsSync(path()) ? { path: path(), name: `${path()} (Playwright’s)` } : undefined
}

function debians() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  const hint = 'Install Chromium or Chrome, or set GROVE_CHROMIUM to its path.'
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  step('Reading Debian’s package list', 'apt-get', ['update', '-q'], { hint, env })
  step(
    'Installing Debian’s chromium',
    'apt-get',
    ['install', '-qy', '--no-install-recommends', 'chromium'],
    { hint, env },
  )
  return installed()
}
