import { createHash } from 'node:crypto'
import type { StageConfiguration } from './stage.ts'

/**
 * The console's policy: own scripts and styles only, no inline ones except the built page's scripts
 * by their hash, Trusted Types, no framing, and connections to this origin and the services in the
 * stage configuration.
 */
export function contentSecurityPolicy(
  stage: StageConfiguration,
  html: string,
  previews?: string,
): string {
  const { auth_api_url, auth_callback_url, cedar_api_url, maple_api_url, auth_jwks_url } =
    stage.default
  const elsewhere = new Set(
    [auth_api_url, auth_callback_url, cedar_api_url, maple_api_url, auth_jwks_url]
      .filter((address) => address !== undefined)
      .map((address) => new URL(address).origin),
  )
  const sources = ["'self'", ...elsewhere].join(' ')
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts(html).map(hashSource)].join(' '),
    "style-src 'self'",
    `img-src ${sources} blob: data:`,
    `connect-src ${sources}`,
    // Previews of packages, on a separate origin. It also stops a preview that navigates away.
    `frame-src ${previews ?? "'none'"}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The console creates none, so an injected script could not create its own and be trusted.
    "trusted-types 'none'",
  ].join('; ')
}

/** Executable inline scripts; scripts of other types are data. */
const inlineScripts = (html: string) =>
  [...html.matchAll(/<script(?![^>]*\b(?:src|type)=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, code = '']) => code,
  )

const hashSource = (code: string) =>
  `'sha256-${createHash('sha256').update(code).digest('base64')}'`
