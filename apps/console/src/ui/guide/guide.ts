import { guides as found } from 'virtual:guides'
import type { Locale } from '../i18n/locale.ts'

/** An element of a guide: its tag, attributes and children. Texts are plain text, never markup. */
export type GuideNode = string | readonly [tag: string, attributes: Attributes, ...GuideNode[]]
export type Attributes = Readonly<Record<string, string | number>>

export interface Heading {
  id: string
  text: string
  depth: number
}

export interface LoadedGuide {
  /** The language that it is written in. */
  locale: string
  nodes: readonly GuideNode[]
  headings: readonly Heading[]
}

/** A section of a guide: a heading with the text up to the next one. */
export interface Section {
  id: string
  /** The titles above it, and its own. */
  titles: readonly string[]
  text: string
}

export interface GuideSection extends Section {
  guide: string
}

interface GuidesOfLocale {
  groups: readonly { reader: string; names: readonly string[] }[]
  /** By name, including the list of guides. */
  titles: Readonly<Record<string, string>>
  guides: Readonly<Record<string, () => Promise<{ guide: LoadedGuide }>>>
  search: () => Promise<{ sections: readonly GuideSection[] }>
}

/** The guides of `docs/`, as built by build/guides/guides.ts. */
export const guidesIn = (locale: Locale) => (found as Record<Locale, GuidesOfLocale>)[locale]
