import type { Script, ScriptVersionItem } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FileDiff, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { Person } from '../parts/secure/person.tsx'
import { path, refreshScript, versionQuery, versionsQuery } from './script.api.ts'
import styles from './script.module.css'

const CodeEditor = onDemand(() =>
  import('../parts/code/code-editor.tsx').then((file) => file.CodeEditor),
)

/** What was published, the newest first: each can be compared with the draft and brought back. */
export function VersionsSection({ script }: { script: Script }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { data } = useQuery(versionsQuery(script.id))
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
    <Section title={t({ message: 'Versions', context: 'of a script' })}>
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
            <div className={styles.buttons}>
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
        <Comparison script={script} number={compared} onClose={() => setCompared(undefined)} />
      )}
    </Section>
  )
}

interface ComparisonProps {
  script: Script
  number: number
  onClose: () => void
}

/** The draft, with what differs from a version. */
function Comparison({ script, number, onClose }: ComparisonProps) {
  const { t } = useLingui()
  const { data: version } = useQuery(versionQuery(script.id, number))
  const isSame = version?.code === script.draft
  return (
    <Dialog title={t`The draft against version ${number}`} onClose={onClose}>
      {isSame && (
        <p>
          <Trans>They are the same.</Trans>
        </p>
      )}
      {version && !isSame && (
        <div className={styles.comparison}>
          <CodeEditor
            text={script.draft}
            original={version.code}
            label={t`What differs`}
            isReadOnly
          />
        </div>
      )}
    </Dialog>
  )
}
