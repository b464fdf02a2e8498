import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    proxy: { '/api': { target: process.env.INSIGHTS_DOUBLE_URL, rewrite: (path) => path.replace('/api', '') } },
  },
})
