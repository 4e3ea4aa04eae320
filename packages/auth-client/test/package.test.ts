import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')

/**
 * Bundles an entry as an application would; returns its chunks by the name of their first module.
 */
async function bundle(external: string[], entry = 'src/index.ts', splitting = true) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    minify: true,
    splitting,
    format: 'esm',
    target: 'es2022',
    external,
    outdir: 'out',
    write: false,
    metafile: true,
  })
  const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith('index.js'))
  const imported = output?.[1].imports.filter((one) => one.kind === 'import-statement')
  const sizeOf = (name: string) => {
    const file = outputFiles.find(({ path }) => basename(path).startsWith(name))
    return gzipSync(file?.contents ?? '', { level: 9 }).length
  }
  return { imported, sizeOf }
}

test('the core stays within 6,000 bytes, minified and compressed, and includes no verification', async () => {
  const { imported, sizeOf } = await bundle(['react'])
  expect(sizeOf('index')).toBeGreaterThan(1000)
  expect(sizeOf('index')).toBeLessThanOrEqual(6000)
  expect(imported).toEqual([])
})

test('later parts stay within 2,000 bytes for signing in, 3,000 for verification', async () => {
  const { sizeOf } = await bundle(['react'])
  expect(sizeOf('sign-in-calls')).toBeGreaterThan(1000)
  expect(sizeOf('sign-in-calls')).toBeLessThanOrEqual(2000)
  expect(sizeOf('verify-once')).toBeGreaterThan(1000)
  expect(sizeOf('verify-once')).toBeLessThanOrEqual(3000)
})

test('everything that an OpenID client needs, in one file, stays within 12,000 bytes', async () => {
  const { sizeOf } = await bundle(['react'], 'src/oidc/index.ts', false)
  expect(sizeOf('index')).toBeGreaterThan(10_000)
  expect(sizeOf('index')).toBeLessThanOrEqual(12_000)
})

describe('the published package', { timeout: 60_000 }, () => {
  let folder = ''

  // A separate application with the package installed as by npm.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'auth-client-'))
    const modules = join(folder, 'node_modules')
    const installed = join(modules, '@grove/auth-client')
    await mkdir(installed, { recursive: true })
    await mkdir(join(modules, '@types'))
    for (const name of ['react', '@types/react', 'csstype']) {
      await symlink(
        dirname(require.resolve(`${name}/package.json`)),
        join(modules, name),
        'junction',
      )
    }
    const config = join(root, 'tsconfig.build.json')
    await run(process.execPath, [tsc, '-p', config, '--outDir', join(installed, 'dist')])
    await cp(join(root, 'package.json'), join(installed, 'package.json'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  }, 60_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('runs in Node without a build step', async () => {
    const script = `
      import { createAuthClient } from '@grove/auth-client'
      import { useSession } from '@grove/auth-client/react'
      const client = createAuthClient({ authUrl: '', realm: 'grove', stage: 'test' })
      console.log(client.getState().status, typeof useSession)
    `
    const input = ['--input-type=module', '--eval', script]
    const { stdout, stderr } = await run(process.execPath, input, { cwd: folder })
    expect([stdout, stderr]).toEqual(['signedOut function\n', ''])
  })

  // Declarations of the other packages' exports that the guides use; those are not installed here.
  const others = `
    declare module 'vue' {
      export function shallowRef<T>(value: T): { value: T }
      export function readonly<T extends object>(target: T): Readonly<T>
    }
    declare module '@react-native-async-storage/async-storage' {
      export function createAsyncStorage(name: string): {
        getItem: (key: string) => Promise<string | null>
        setItem: (key: string, value: string) => Promise<void>
        removeItem: (key: string) => Promise<void>
      }
    }`

  // Variables that the examples of the reference assume.
  const forCalls = `
    import { AuthError, createAuthClient } from '@grove/auth-client'
    const auth = createAuthClient({ authUrl: '', realm: 'grove' })
    const [email, password] = ['developer@example.com', 'Example2026!']
    export { AuthError, auth, email, password }
  `
  test.each(['nodenext', 'bundler'])(
    'types every example of the documents: %s',
    async (resolution) => {
      const names = ['README.md', 'guides.md', 'coming-from.md']
      const documents = names.map((name) => readFile(join(root, name), 'utf8'))
      const texts = (await Promise.all(documents)).join('\n')
      const reference = await readFile(join(root, 'API.md'), 'utf8')
      const ofCalls = [...reference.matchAll(/^```(ts) example\n([^]*?)^```/gm)].map(
        ([block, extension, code]) => [block, extension, forCalls + code] as const,
      )
      const examples = [...texts.matchAll(/^```(tsx?)\n([^]*?)^```/gm), ...ofCalls]
      expect(examples.length).toBeGreaterThan(4)
      const files = await Promise.all(
        examples.map(async ([, extension, code], index) => {
          const name = `${resolution}-${index}.${extension}`
          await writeFile(join(folder, name), `${code}\nexport {}\n`)
          return name
        }),
      )
      const options = {
        module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
        moduleResolution: resolution,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        jsx: 'react-jsx',
        strict: true,
        types: [],
        noEmit: true,
      }
      const config = join(folder, `tsconfig.${resolution}.json`)
      await writeFile(join(folder, 'others.d.ts'), others)
      files.push('others.d.ts')
      await writeFile(config, JSON.stringify({ compilerOptions: options, files }))
      const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch(
        (error: { stdout: string }) => error,
      )
      expect(stdout).toBe('')
    },
  )
})
