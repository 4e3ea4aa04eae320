import {
  scriptOfTemplate,
  type ScriptGap,
  type ScriptTool,
} from '@grove/contract/maple/program/template-script.rules'
import type { TemplateContent } from '@grove/contract/maple/program/template-step.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueries } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { saveFile } from '../../../../../ui/file/save-file.ts'
import { CopyButton } from '../../../../../ui/text/copy-button.tsx'
import { appletQuery } from '../template.api.ts'
import { toolNames } from './tool-names.ts'
import styles from './script.module.css'

interface ExportScriptProps {
  name: string
  content: TemplateContent
  onClose: () => void
}

/** Shows a template as `gp` commands or as a GPShell script, to copy or save. */
export function ExportScript({ name, content, onClose }: ExportScriptProps) {
  const { t } = useLingui()
  const [tool, setTool] = useState<ScriptTool>('gp')
  const { text, gaps } = scriptOfTemplate(tool, content, useApplets(content))
  const fileName = `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || 'template'}.${tool === 'gp' ? 'sh' : 'txt'}`
  return (
    <Dialog title={t`Export as a script`} size="content" closeLabel={t`Close`} onClose={onClose}>
      <div className={styles.content}>
        <p className="muted">
          <Trans>
            The script has no keys: add them where the tool expects them. Accepted replies and
            rollbacks have no place in it.
          </Trans>
        </p>
        <SelectField label={t`Tool`} value={tool} words={toolNames} onChange={setTool} />
        <pre className={styles.text}>{text}</pre>
        <Gaps gaps={gaps} />
        <div className="dialog-actions">
          <CopyButton value={text} label={t`Copy the script`} />
          <button
            type="button"
            className="button primary"
            onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), fileName)}
          >
            <Download size={16} aria-hidden />
            <Trans>Save</Trans>
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function useApplets({ steps }: TemplateContent) {
  const ids = [
    ...new Set(
      steps.flatMap(({ values: { applet } }) =>
        typeof applet === 'string' && applet !== '' ? [applet] : [],
      ),
    ),
  ]
  const found = useQueries({ queries: ids.map((id) => appletQuery(id)) })
  return Object.fromEntries(
    found.flatMap(({ data }) => data?.items ?? []).map((applet) => [applet.id, applet]),
  )
}

function Gaps({ gaps }: { gaps: readonly ScriptGap[] }) {
  const { t } = useLingui()
  if (gaps.length === 0) return null
  const reason = ({ reason: why, parameter = '' }: ScriptGap) =>
    why === 'value'
      ? t`it needs a value for “${parameter}”`
      : why === 'applet'
        ? t`its applet is not chosen`
        : t`it has errors`
  return (
    <section>
      <p>
        <Trans>Steps that are left out:</Trans>
      </p>
      <ul className={styles.gaps}>
        {gaps.map((gap) => (
          <li key={gap.step}>
            <Trans>Step {gap.step + 1}:</Trans> {reason(gap)}
          </li>
        ))}
      </ul>
    </section>
  )
}
