import type {
  TemplateContent,
  TemplateStep,
} from '@grove/contract/maple/program/template-step.rules'
import { Trans } from '@lingui/react/macro'
import { FileInput, FileOutput } from 'lucide-react'
import { useState } from 'react'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'

const ImportScript = onDemand(() => import('./import-script.tsx').then((file) => file.ImportScript))
const ExportScript = onDemand(() => import('./export-script.tsx').then((file) => file.ExportScript))

interface ScriptActionsProps {
  name: string
  content: TemplateContent
  onChange: (steps: TemplateStep[]) => void
}

/** Converts scripts of other tools to a template's steps, and back. */
export function ScriptActions({ name, content, onChange }: ScriptActionsProps) {
  const [shown, setShown] = useState<'import' | 'export'>()
  const close = () => setShown(undefined)
  return (
    <>
      <button type="button" className="button" onClick={() => setShown('import')}>
        <FileInput size={16} aria-hidden />
        <Trans>Import a script…</Trans>
      </button>
      {content.steps.length > 0 && (
        <button type="button" className="button" onClick={() => setShown('export')}>
          <FileOutput size={16} aria-hidden />
          <Trans>Export as a script…</Trans>
        </button>
      )}
      {shown === 'import' && (
        <ImportScript steps={content.steps} onTake={onChange} onClose={close} />
      )}
      {shown === 'export' && <ExportScript name={name} content={content} onClose={close} />}
    </>
  )
}
