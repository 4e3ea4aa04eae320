import { svelte } from '@sveltejs/vite-plugin-svelte'
import react from '@vitejs/plugin-react'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  plugins: [react(), vue(), svelte()],
  build: { rolldownOptions: { input: ['react.html', 'vue.html', 'svelte.html'] } },
})
