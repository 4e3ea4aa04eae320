import type { Config } from '../../../core/config.ts'

const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'compute-pressure',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'speaker-selection',
  'storage-access',
  'usb',
  'web-share',
  'window-management',
  'xr-spatial-tracking',
]

/**
 * The headers of every response, including errors. The sandbox makes the origin opaque wherever the
 * page is opened. An opaque page is cross-origin to its own files, so they allow any origin; the
 * signed path protects them. `Connection-Allowlist` blocks what no other policy covers: WebRTC and
 * preconnects. `hosts` are those in the provider's rights: data, images and sound may come from them
 * over TLS, but no scripts, styles or frames.
 */
export function previewHeaders(
  consoles: readonly string[],
  hosts: readonly string[] = [],
): Record<string, string> {
  const secure = hosts.map((host) => ` https://${host}`).join('')
  const sockets = hosts.map((host) => ` wss://${host}`).join('')
  const patterns = hosts.map((host) => ` "https://${host}/*" "wss://${host}/*"`).join('')
  return {
    'content-security-policy': [
      'sandbox allow-scripts allow-forms',
      "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
      `connect-src 'self'${secure}${sockets}`,
      ...(hosts.length === 0
        ? []
        : ['img-src', 'media-src'].map((of) => `${of} 'self' data: blob:${secure}`)),
      "object-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      `frame-ancestors ${consoles.length > 0 ? consoles.join(' ') : "'none'"}`,
    ].join('; '),
    'connection-allowlist': `(response-origin${patterns})`,
    'permissions-policy': deniedFeatures.map((feature) => `${feature}=()`).join(', '),
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

/** The origins whose console may embed a preview. */
export function consoleOrigins(
  { publicUrl, allowedOrigins, isLocal }: Config,
  port: number | undefined,
): string[] {
  const names = isLocal && port !== undefined ? ['127.0.0.1', 'localhost'] : []
  return [
    ...(publicUrl === undefined ? [] : [publicUrl]),
    ...names.map((name) => `http://${name}:${port}`),
    ...allowedOrigins,
  ]
}
