import { build } from 'esbuild'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)

/** What an application imports of each to sign people in and keep their session. */
export const peers: readonly { name: string; version: string; source: string }[] = [
  {
    name: 'oauth4webapi',
    version: '3.8.8',
    source: `import { authorizationCodeGrantRequest, processAuthorizationCodeResponse, refreshTokenGrantRequest, processRefreshTokenResponse, validateAuthResponse, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
export { authorizationCodeGrantRequest, processAuthorizationCodeResponse, refreshTokenGrantRequest, processRefreshTokenResponse, validateAuthResponse, discoveryRequest, processDiscoveryResponse }`,
  },
  {
    name: '@workos-inc/authkit-js',
    version: '0.20.3',
    source: `export { createClient } from '@workos-inc/authkit-js'`,
  },
  { name: 'keycloak-js', version: '26.2.4', source: `export { default } from 'keycloak-js'` },
  {
    name: 'openid-client',
    version: '6.8.9',
    source: `export { discovery, authorizationCodeGrant, refreshTokenGrant, buildAuthorizationUrl } from 'openid-client'`,
  },
  {
    name: 'better-auth',
    version: '1.7.5',
    source: `export { createAuthClient } from 'better-auth/client'`,
  },
  { name: '@logto/browser', version: '3.0.14', source: `export { default } from '@logto/browser'` },
  {
    name: 'oidc-client-ts',
    version: '3.5.0',
    source: `export { UserManager } from 'oidc-client-ts'`,
  },
  {
    name: '@supabase/auth-js',
    version: '2.119.1',
    source: `export { AuthClient } from '@supabase/auth-js'`,
  },
  {
    name: '@auth0/auth0-spa-js',
    version: '2.28.3',
    source: `export { createAuth0Client } from '@auth0/auth0-spa-js'`,
  },
]

export interface PeerSize {
  name: string
  version: string
  /** Bytes, minified and gzipped; undefined if it cannot be installed or bundled. */
  bytes: number | undefined
}

/** Installs each peer in a separate folder and bundles it like our client. */
export async function peerSizes(folderOf: () => Promise<string>): Promise<PeerSize[]> {
  const sizes: PeerSize[] = []
  for (const { name, version, source } of peers) {
    const folder = await folderOf()
    sizes.push({
      name,
      version,
      bytes: await sizeOf(folder, name, source).catch(() => undefined),
    })
  }
  return sizes
}

/** Installs the measured versions of the peers in an empty folder. */
export async function installPeers(folder: string, names: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const chosen = peers.filter(({ name }) => names.includes(name))
  const packages = chosen.map(({ name, version }) => `${name}@${version}`)
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: 120_000 })
}

async function sizeOf(folder: string, name: string, source: string) {
  await installPeers(folder, [name])
  await writeFile(join(folder, 'entry.js'), source)
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'entry.js')],
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    write: false,
  })
  return outputFiles.reduce(
    (bytes, { contents }) => bytes + gzipSync(contents, { level: 9 }).length,
    0,
  )
}
