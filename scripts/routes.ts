// Writes routes.md from the running server's routes: METHOD URL → file. `--check` only compares.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { startTestServer } from '../apps/platform/src/core/testing/test-platform.ts'
import { services } from '../apps/platform/src/services.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = `${root}routes.md`

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps/platform/src'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const sources = files.map((file) => [file, readFileSync(root + file, 'utf8')] as const)

const server = await startTestServer(services.filter(({ name }) => name !== 'console'))
await server.app.ready()
const document = server.app.swagger() as { paths: Record<string, Record<string, unknown>> }
await server.close()

const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => {
    const key = `${method.toUpperCase()} ${path}`
    // Calls of every service are registered once, with the service's name as a variable.
    const shared = key.replace(/\/api\/\w+\//, '/api/${service}/')
    const file = sources.find(([, source]) => {
      const added = [...source.matchAll(/addCall\(\s*\w+,\s*\w+,\s*(['`])(.*?)\1/g)]
      return added.some(([, , each]) => each === key || each === shared)
    })?.[0]
    if (!file) throw new Error(`No file adds ${key}.`)
    return `| ${key} | [${file.split('/').at(-1)}](${file}) |`
  }),
)
const rights = Object.entries<Call>(calls).flatMap(([key, { access }]) =>
  typeof access === 'object'
    ? [`| ${key} | \`${access.right}\` | ${access.isScoped ? 'yes' : 'no'} |`]
    : [],
)
const text = `# Routes\n\nWritten by \`npm run routes\` from the running server. A service of your own needs few of them: [Cedar](docs/protocol-cedar.md), [Maple](docs/protocol-maple.md).\n\n| Call | File |\n|---|---|\n${rows.sort().join('\n')}

## Rights

Calls that need a right of an account, and whether an account of one service provider can make them.

| Call | Right | In a service provider |
|---|---|---|
${rights.toSorted().join('\n')}
`

if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('routes.md differs from the server.')
  process.exit(1)
}
process.exit(0)
