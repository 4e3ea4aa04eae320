import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PublishedVersion, type Published } from '../publish/published-version.tsx'
import { runsQuery, scriptQuery } from './script.api.ts'
import styles from './script.module.css'
import { RunSection } from './run-section.tsx'
import { RunsSection } from './runs-section.tsx'
import { ScriptActions } from './script-actions.tsx'
import { ScriptDraft } from './script-draft.tsx'
import { ScriptSecrets } from './script-secrets.tsx'
import { VersionsSection } from './versions-section.tsx'

/** A script, which the loader has found: its draft, its runs with their results, and its versions. */
export function ScriptPage({ id, runId }: { id: string; runId: string | undefined }) {
  const { t } = useLingui()
  const { data: script } = useSuspenseQuery(scriptQuery(id))
  const { data: runs } = useQuery(runsQuery(id))
  // The unsaved text, and what to do once it is saved.
  const [text, setText] = useState(script.draft)
  const [onceSaved, setOnceSaved] = useState<{ act: () => void }>()
  const isSaved = text === script.draft
  return (
    <article className={styles.page}>
      <PageHeader
        title={script.name}
        description={script.note || <Version {...script} />}
        action={<ScriptActions script={script} isSaved={isSaved} />}
      />
      <Columns
        aside={
          <>
            <RunSection
              script={script}
              text={text}
              isSaved={isSaved}
              onSave={(act) => setOnceSaved({ act })}
            />
            <RunsSection scriptId={id} runId={runId} />
          </>
        }
        below={
          <>
            <VersionsSection script={script} />
            <ScriptSecrets script={script} />
          </>
        }
      >
        <Section
          title={t({ message: 'Draft', context: 'of a script' })}
          description={script.note ? <Version {...script} /> : undefined}
        >
          <ScriptDraft
            script={script}
            lastRun={runs?.items[0]}
            onText={setText}
            onceSaved={onceSaved}
            onSaved={() => {
              onceSaved?.act()
              setOnceSaved(undefined)
            }}
            onRefused={() => setOnceSaved(undefined)}
          />
        </Section>
      </Columns>
    </article>
  )
}

const Version = (published: Published) => (
  <PublishedVersion
    {...published}
    none={<Trans>Not published yet. A draft runs on up to 20 elements at once.</Trans>}
  />
)
