"""A resource that fails in a way nobody expected."""

from __future__ import annotations

from django.urls import path
from rest_framework.views import APIView


class Broken(APIView):
    authentication_classes = []

    def get(self, request):
        raise RuntimeError("a secret of ours")


urlpatterns = [path("api/v1/broken", Broken.as_view())]
