import { Trans, useLingui } from '@lingui/react/macro'
import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'
import { FileDiff, Undo2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Loading } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { Person } from '../../../../people/person.tsx'
import { CompareCode, type ComparedCode } from './compare-code.tsx'

/** A version as listed. */
export interface ListedVersion {
  number: number
  publishedAt: string
  publishedBy: string | null
  /** The version that it restores. */
  restoredFrom: number | null
  note?: string
}

interface ProgramVersionsProps<Version, Key extends QueryKey> {
  loading: Loading
  /** Newest first. */
  items: readonly ListedVersion[] | undefined
  /** The text of an empty list. */
  empty: ReactNode
  /** The version in use, and its label. */
  current: { number: number | null; text: string }
  /** Why the reader may not roll back. */
  refusal: string | undefined
  onRollBack: (number: number) => void
  draft: ComparedCode
  versionQuery: (number: number) => UseQueryOptions<Version, Error, Version, Key>
  codeOf: (version: Version) => ComparedCode
}

/** A program's published versions: each can be compared with the draft and restored. */
export function ProgramVersions<Version, Key extends QueryKey>(
  props: ProgramVersionsProps<Version, Key>,
) {
  const { loading, items, empty, current, refusal, onRollBack, ...compared } = props
  const { t } = useLingui()
  const [first, setFirst] = useState<number>()
  return (
    <Section title={t`Versions`} loading={loading}>
      {items?.length === 0 && <p className="muted">{empty}</p>}
      <Rows>
        {items?.map(({ number, publishedAt, publishedBy, restoredFrom, note }) => (
          <li key={number}>
            <div>
              <strong>{t`Version ${number}`}</strong>{' '}
              <span className="muted">
                <DateText value={publishedAt} isRelative /> · <Person id={publishedBy} />
                {restoredFrom !== null && (
                  <>
                    {' · '}
                    <Trans>as version {restoredFrom}</Trans>
                  </>
                )}
              </span>
              {note && <p>{note}</p>}
            </div>
            <div className="actions">
              {number === current.number && <StateBadge kind="good" text={current.text} />}
              <PanelAction icon={FileDiff} label={t`Compare`} onAct={() => setFirst(number)} />
              {number !== current.number && (
                <PanelAction
                  icon={Undo2}
                  label={t`Roll back…`}
                  refusal={refusal}
                  onAct={() => onRollBack(number)}
                />
              )}
            </div>
          </li>
        ))}
      </Rows>
      {first !== undefined && (
        <CompareCode
          {...compared}
          versions={items?.map(({ number }) => number) ?? []}
          first={first}
          onClose={() => setFirst(undefined)}
        />
      )}
    </Section>
  )
}
