{{- define "relay.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "relay.selector" -}}
app.kubernetes.io/name: relay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "relay.labels" -}}
{{ include "relay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "relay.accessSecret" -}}
{{- if .Values.access.existingSecret -}}
{{- .Values.access.existingSecret -}}
{{- else if .Values.access.config -}}
{{- include "relay.name" . }}-access
{{- end -}}
{{- end }}

{{- /* The admin port listens beyond the pod only with TLS and a token. */ -}}
{{- define "relay.adminIsOpen" -}}
{{- if and .Values.tls.existingSecret .Values.admin.existingSecret }}yes{{ end -}}
{{- end }}

{{- /* What would fail later, and says so less well. */ -}}
{{- define "relay.check" -}}
{{- if and (not (include "relay.accessSecret" .)) (not .Values.insecure) }}
{{- fail "set access.config or access.existingSecret; or insecure=true, with which everybody who reaches the ports may publish and read everything" }}
{{- end }}
{{- if and .Values.access.config .Values.access.existingSecret }}
{{- fail "set one of access.config and access.existingSecret" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not (include "relay.adminIsOpen" .)) }}
{{- fail "serviceMonitor.enabled needs tls.existingSecret and admin.existingSecret: the admin port listens beyond the pod only with TLS and a token" }}
{{- end }}
{{- if and (not .Values.tls.plain) (not .Values.tls.existingSecret) }}
{{- fail "tls.plain=false needs tls.existingSecret: there would be no port" }}
{{- end }}
{{- end }}
