const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** The text of the first such element; S3's pages have no attributes and no comments. */
export const textOf = (xml: string, name: string): string | undefined => textsOf(xml, name)[0]

/** The content of each such element, entities resolved; not for nested elements of the same name. */
export const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, inner = '']) =>
    inner.includes('<') ? inner : plain(inner),
  )

const plain = (text: string) =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string) =>
    code === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number(code)),
  )
