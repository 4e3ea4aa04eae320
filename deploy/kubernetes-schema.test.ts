import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

// Installed here alone: 6,000 files that nothing else needs.
const schemas = 'kubernetes-models@4.5.1'

interface Item {
  apiVersion: string
  kind: string
  metadata: { name: string }
}
type Model = new (item: Item) => { validate: () => void }

const here = fileURLToPath(new URL('kubernetes/', import.meta.url))
const { resources } = parse(readFileSync(join(here, 'kustomization.yaml'), 'utf8')) as {
  resources: string[]
}
const items = resources.flatMap((name) =>
  parseAllDocuments(readFileSync(join(here, name), 'utf8')).map((each) => each.toJS() as Item),
)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-kubernetes-'))
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', schemas])
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true }))

async function modelOf({ apiVersion, kind }: Item): Promise<Model> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const file = resolve(`kubernetes-models/${apiVersion}/${kind}`)
  const models = (await import(pathToFileURL(file).href)) as Record<string, Model>
  const model = models[kind]
  if (!model) throw new Error(`no schema of ${apiVersion} ${kind}`)
  return model
}

test.each(items.map((item) => [item.kind, item.metadata.name, item] as const))(
  '%s %s is as Kubernetes wants it',
  async (_kind, _name, item) => {
    const Model = await modelOf(item)
    expect(() => new Model(item).validate()).not.toThrow()
  },
)

test('a wrong port is seen', async () => {
  const item = items.find(({ kind }) => kind === 'Service')
  if (!item) throw new Error('no Service')
  const Model = await modelOf(item)
  const wrong = { ...item, spec: { ports: [{ port: 'http' }] } }
  expect(() => new Model(wrong).validate()).toThrow('port')
})
