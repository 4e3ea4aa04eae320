import type { ComponentName } from '../components.ts'
import { textOf, type CapFindingCode } from './finding-texts.ts'

/** An error violates the specification; a warning is allowed, but often refused or a mistake. */
export const capSeverities = ['error', 'warning'] as const
export type CapSeverity = (typeof capSeverities)[number]

/** The method of a finding. */
export interface MethodPlace {
  /** Its index in the Method component. */
  number: number
  /** The offset of its header, from the first byte of the component's contents or of its block. */
  offset: number
  /** The block of the Method component in the extended format. */
  block?: number
  /** The offset of its class in the Class component, and tokens, from Descriptor. */
  classOffset?: number
  classToken?: number
  token?: number
}

export interface CapFinding {
  severity: CapSeverity
  code: CapFindingCode
  component: ComponentName
  /**
   * From the first byte after tag and size, or in the method's block; null for the whole component.
   */
  offset: number | null
  method: MethodPlace | null
  /** The values in the message, for a client's own text. */
  params: Record<string, string>
  message: string
}

/** The place of a finding and its values. */
export interface Place {
  component: ComponentName
  offset?: number
  method?: MethodPlace
}

/** The default limit of findings of one file. */
export const maxFindings = 100

/** Collects findings up to a limit. */
export function collector(limit: number) {
  const findings: CapFinding[] = []
  let found = 0
  const add =
    (severity: CapSeverity) =>
    (code: CapFindingCode, place: Place, params: Record<string, string | number> = {}) => {
      found++
      if (findings.length >= limit) return
      const texts = Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, String(value)]),
      )
      findings.push({
        severity,
        code,
        component: place.component,
        offset: place.offset ?? null,
        method: place.method ?? null,
        params: texts,
        message: textOf(code, { ...texts, component: place.component }),
      })
    }
  return {
    error: add('error'),
    warn: add('warning'),
    findings,
    isTruncated: () => found > findings.length,
  }
}

export type Collector = ReturnType<typeof collector>

/** Components that stay on the host. */
const unloaded = new Set<ComponentName>(['Descriptor', 'Debug'])

/** Whether a card cannot link a package with this error, whatever its virtual machine verifies. */
export const stopsLoading = ({ code, component, severity }: CapFinding): boolean =>
  severity === 'error' &&
  (code === 'poolTag' || code === 'poolPackage' || (code === 'cutOff' && !unloaded.has(component)))
