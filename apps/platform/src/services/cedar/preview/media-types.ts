const text = (type: string) => `${type}; charset=utf-8`

const mediaTypes: Record<string, string> = {
  html: text('text/html'),
  htm: text('text/html'),
  css: text('text/css'),
  js: text('text/javascript'),
  mjs: text('text/javascript'),
  json: text('application/json'),
  map: text('application/json'),
  webmanifest: text('application/manifest+json'),
  txt: text('text/plain'),
  md: text('text/plain'),
  csv: text('text/csv'),
  xml: text('application/xml'),
  vtt: text('text/vtt'),
  svg: text('image/svg+xml'),
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
}

/** By the name only: content never decides. */
export function mediaTypeOf(path: string): string {
  const extension = /\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(mediaTypes, extension)
    ? (mediaTypes[extension] ?? '')
    : 'application/octet-stream'
}
