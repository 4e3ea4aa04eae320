import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import type { NewItem } from '../../../../ui/panel/create-item.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { UploadPanel } from '../../base/upload/upload-panel.tsx'
import { applets } from './applet.api.ts'
import { useCapProblem } from './cap-problem.ts'
import { CapView } from './cap-view.tsx'

async function readCap(file: File) {
  const { describeCap } = await import('./describe-cap.ts')
  return describeCap(new Uint8Array(await file.arrayBuffer()))
}

async function makeSample() {
  const { makeCap, sampleCap } = await import('@grove/secure-element/cap/make-cap')
  return new File([makeCap(sampleCap)], 'ndef-sample.cap')
}

export function UploadApplet(item: NewItem) {
  const { t } = useLingui()
  const problemOf = useCapProblem()
  return (
    <UploadPanel
      {...item}
      title={t`New applet`}
      invitation={t`Drop a CAP file here`}
      accept=".cap"
      read={readCap}
      problemOf={problemOf}
      makeSample={makeSample}
      upload={async (file, sending) => {
        const saved = await api.maple.upload('/api/maple/applets', { fields: {}, file, ...sending })
        void applets.refresh(saved)
        return saved.id
      }}
    >
      {(cap) => (
        <>
          {cap.errors > 0 && (
            <output>
              <StateBadge kind="bad" text={t`Errors found`} />{' '}
              <Trans>
                Verification finds errors in this file. Its page says which, and where in the code.
              </Trans>
            </output>
          )}
          <CapView cap={cap} />
        </>
      )}
    </UploadPanel>
  )
}
