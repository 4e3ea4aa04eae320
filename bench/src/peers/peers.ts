import { build } from 'esbuild'
import { chromium } from '@playwright/test'
import { join } from 'node:path'
import { findChromium } from '../../../scripts/chromium.mjs'
import { root } from '../../../scripts/workspace.mjs'
import { row, type Benchmark } from '../benchmark.ts'
import { installPeers, peers as measured } from '../support/peer-sizes.ts'
import { scenarios, type Outcome } from './scenarios.ts'
import { startPeerService } from './service.ts'

const clients = [
  { page: 'grove', name: 'this one' },
  { page: 'supabase', name: '@supabase/auth-js' },
  { page: 'oidc-client-ts', name: 'oidc-client-ts' },
  { page: 'auth0-spa-js', name: '@auth0/auth0-spa-js' },
  { page: 'keycloak-js', name: 'keycloak-js' },
]

export const peersBenchmark: Benchmark = {
  name: 'peers',
  title: 'Hostile runs beside other clients',
  how: 'Each client in a real Chromium, set up as its documentation recommends for a single-page application (bench/src/peers/pages), beside a service that speaks its protocol: the token calls of Supabase, OpenID Connect with PKCE for the next two, Keycloak’s paths for the last. Access tokens last ten minutes; the service rotates strictly, so a second use of a refresh token ends the session (Supabase’s own service answers a used one again for ten seconds, as in the fourth row). An ended token is one whose eleven minutes passed while the tab slept: no timer of the page has fired. A call is served when the token that the client gives is one that an API would take then; a refresh is a POST with a refresh token. *Kept* means that a call was served again; *threw*, *signed out* and *stuck with a bad token* are what calls came to where none was within 90 s. The last row needs a whole Chromium, since its headless shell keeps no page to come back to. `keycloak-js` stores nothing: each tab signs in by itself at the provider, which has not forgotten the person.',
  run: async (bench) => {
    const folder = await bench.folder('peers')
    await installPeers(
      folder,
      clients.map(({ name }) => name),
    )
    const pages = new Map([['/clock.js', await bundle('clock', folder)]])
    for (const { page } of clients) {
      pages.set(`/${page}`, html.replace('PAGE', page))
      pages.set(`/frame/${page}`, `<!doctype html><iframe sandbox="allow-scripts" src="/${page}">`)
      pages.set(`/${page}.js`, await bundle(page, join(folder, 'node_modules')))
    }
    const browser = await chromium.launch({
      executablePath: findChromium().path,
      args: ['--no-sandbox', '--disable-gpu'],
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    })
    bench.atEnd(() => browser.close())

    const cells: Outcome[][] = []
    for (const { page, name } of clients) {
      const outcomes: Outcome[] = []
      for (const { title, run } of scenarios) {
        const service = await startPeerService(pages)
        const context = await browser.newContext()
        const outcome = await run({ service, context, url: `${service.origin}/${page}` })
        bench.say(`${name}: ${title}: ${outcome.text}`)
        outcomes.push(outcome)
        await context.close()
        service.close()
      }
      cells.push(outcomes)
    }
    return {
      rows: clients.map(({ name }, index) =>
        row(
          `hostile runs survived by ${versioned(name)}`,
          cells[index]?.filter(({ isGood }) => isGood).length ?? 0,
          `of ${scenarios.length}`,
          name === 'this one' ? { budget: { atLeast: scenarios.length } } : {},
        ),
      ),
      details: table(cells),
    }
  },
}

function table(cells: readonly Outcome[][]): string {
  const head = ['', ...clients.map(({ name }) => versioned(name))]
  const lines = scenarios.map(({ title }, index) => {
    const texts = cells.map((outcomes) => {
      const { text = '', isGood = false } = outcomes[index] ?? {}
      return isGood ? text : `**${text}**`
    })
    return [title, ...texts]
  })
  const rows = [head, head.map(() => '---'), ...lines]
  return [
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    'Bold: the session or the call was lost or took 20 s and more, the page was left, somebody who had signed out was still signed in, or the service was called more than it had to be.',
  ].join('\n')
}

function versioned(name: string): string {
  const version = measured.find((peer) => peer.name === name)?.version
  return version === undefined ? name : `${name} ${version}`
}

const html = `<!doctype html><title>loading</title><script>
for (const type of ['error', 'unhandledrejection'])
  addEventListener(type, () => { if (document.title === 'loading') document.title = 'threw' })
// The browser driver loses a page that enters the back-forward cache, so the page itself reports.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  const say = (answer) => fetch('/restored?answer=' + answer, { method: 'POST' })
  setTimeout(() => globalThis.peer.token().then((token) => say(token ? 'token' : 'none'), () => say('threw')), 500)
})
</script><script type="module">
import '/clock.js'
import '/PAGE.js'
document.title = (await globalThis.peer.resume()) ? 'signed in' : 'signed out'
</script>`

async function bundle(page: string, modules: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, `bench/src/peers/pages/${page}.js`)],
    nodePaths: [modules],
    conditions: ['source'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
