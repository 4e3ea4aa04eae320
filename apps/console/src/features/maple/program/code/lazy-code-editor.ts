import { onDemand } from '../../../../ui/kit/on-demand.tsx'

/** The code editor is large, so it loads only where it is shown. */
export const CodeEditor = onDemand(() =>
  import('./code-editor.tsx').then((file) => file.CodeEditor),
)
