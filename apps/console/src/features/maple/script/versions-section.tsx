import type { Script, ScriptVersionItem } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FileDiff, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { CompareCode, draftSide, type Compared } from '../parts/code/compare-code.tsx'
import { Person } from '../parts/secure/person.tsx'
import { path, refreshScript, versionQuery, versionsQuery } from './script.api.ts'
import styles from './script.module.css'

/** What was published, the newest first: each can be compared with the draft and brought back. */
export function VersionsSection({ script }: { script: Script }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const versions = useQuery(versionsQuery(script.id))
  const { data } = versions
  const [compared, setCompared] = useState<number>()
  const rollBack = ({ number }: ScriptVersionItem) =>
    confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It becomes the newest version. The draft and the versions between stay.`,
        action: t`Roll back`,
      },
      change: () =>
        api.maple.post(`${path}/{id}/rollback`, {
          params: { id: script.id },
          ifMatch: script.revision,
          body: { number },
        }),
      done: (version) => t`Version ${version.number} is published.`,
      refresh: () => refreshScript(),
    })
  return (
    <Section title={t({ message: 'Versions', context: 'of a script' })} loading={versions}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>
            Nothing is published yet. A version never changes, so rollouts use versions.
          </Trans>
        </p>
      )}
      <ul className={styles.list}>
        {data?.items.map((version) => (
          <li key={version.number} className={styles.version}>
            <div>
              <strong>{t({ message: `Version ${version.number}`, context: 'of a script' })}</strong>{' '}
              <span className="muted">
                <DateText value={version.publishedAt} isRelative /> ·{' '}
                <Person id={version.publishedBy} />
                {version.restoredFrom !== null && (
                  <>
                    {' · '}
                    <Trans>as version {version.restoredFrom}</Trans>
                  </>
                )}
              </span>
              {version.note !== '' && <p>{version.note}</p>}
            </div>
            <div className="actions">
              <PanelAction
                icon={FileDiff}
                label={t`Compare`}
                onAct={() => setCompared(version.number)}
              />
              {version.number !== script.version && (
                <PanelAction
                  icon={Undo2}
                  label={t`Roll back…`}
                  onAct={() => void rollBack(version)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {compared !== undefined && (
        <Comparison
          script={script}
          versions={data?.items.map(({ number }) => number) ?? []}
          first={compared}
          onClose={() => setCompared(undefined)}
        />
      )}
    </Section>
  )
}

interface ComparisonProps {
  script: Script
  versions: readonly number[]
  /** The version that is compared with the draft at first. */
  first: number
  onClose: () => void
}

function Comparison({ script, versions, first, onClose }: ComparisonProps) {
  const [pair, setPair] = useState<Compared>({ before: `v${first}`, after: draftSide })
  return (
    <CompareCode
      versions={versions}
      pair={pair}
      before={useSide(script, pair.before)}
      after={useSide(script, pair.after)}
      onPair={setPair}
      onClose={onClose}
    />
  )
}

function useSide({ id, draft }: Script, side: string) {
  const isDraft = side === draftSide
  const { data } = useQuery({ ...versionQuery(id, Number(side.slice(1))), enabled: !isDraft })
  return isDraft ? { code: draft } : data
}
